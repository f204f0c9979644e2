import { beforeEach, expect, test, vi } from 'vitest';
import { createSigningKey, type SigningKey, signJwt } from './fake-host/index.ts';
import {
  corrupt,
  createVerifier,
  signingKey,
  startServer,
  type TestServer,
} from './testing/test-host.ts';

const issuer = 'https://tenant.example';
const successor = await createSigningKey();
const { signal } = new AbortController();

let server: TestServer;
let served: SigningKey;
let verify: ReturnType<typeof createVerifier>;

beforeEach(async () => {
  served = signingKey;
  server = await startServer((_request, response) =>
    response.end(JSON.stringify(served.keyDocument)),
  );
  verify = createVerifier({ jkuOrigins: [server.origin] });
  return () => server[Symbol.asyncDispose]();
});

function sign({ privateKey }: SigningKey, path = '/key.json'): Promise<string> {
  return signJwt(
    privateKey,
    { iss: issuer, sub: 'init', jti: 'one' },
    { jku: `${server.origin}${path}` },
  );
}

async function receive(data: string) {
  return await verify({ jwt: data, origin: issuer, sub: 'init', signal });
}

test('a key is downloaded once for all tokens that name it', async () => {
  for (const path of ['/key.json', '/key.json', '/other.json']) {
    await receive(await sign(signingKey, path));
  }
  expect(server.requests).toEqual(['/key.json', '/other.json']);
});

test('a key is kept only after a correct signature', async () => {
  const forged = corrupt(await sign(signingKey));

  for (const _attempt of [1, 2]) {
    await expect(receive(forged)).rejects.toMatchObject({ code: 'ERR2' });
  }

  expect(server.requests).toHaveLength(4);
});

test('a key that was replaced under the same name is loaded again, without the cache', async () => {
  await receive(await sign(signingKey));
  served = successor;
  const fetchSpy = vi.spyOn(globalThis, 'fetch');

  await receive(await sign(successor));
  await receive(await sign(successor));

  expect(fetchSpy.mock.calls.map(([, init]) => init?.cache)).toEqual(['reload']);
  fetchSpy.mockRestore();
});

test("a key that only the browser's cache still has is loaded without the cache", async () => {
  const fetchSpy = vi.spyOn(globalThis, 'fetch').mockImplementation(async (_input, init) => {
    const { keyDocument } = init?.cache === 'reload' ? successor : signingKey;
    return Response.json(keyDocument);
  });

  await receive(await sign(successor));

  expect(fetchSpy.mock.calls.map(([, init]) => init?.cache)).toEqual(['default', 'reload']);
  fetchSpy.mockRestore();
});

test('a forged token does not remove a known key', async () => {
  await receive(await sign(signingKey));
  const forged = await sign(successor);

  await expect(receive(forged)).rejects.toMatchObject({ code: 'ERR2' });
  await receive(await sign(signingKey));

  expect(server.requests).toHaveLength(2);
});

test('a key that cannot be loaded is requested again for the next token', async () => {
  const loading = vi.spyOn(globalThis, 'fetch').mockRejectedValueOnce(new TypeError('down'));
  await expect(receive(await sign(signingKey))).rejects.toMatchObject({ code: 'ERR7' });
  loading.mockRestore();

  await expect(receive(await sign(signingKey))).resolves.toMatchObject({ iss: issuer });
});

test('an issuer without pinned keys is verified with the key at its address', async () => {
  verify = createVerifier({ issuers: [{ issuer }], jkuOrigins: [server.origin] });
  await expect(receive(await sign(signingKey))).resolves.toMatchObject({ iss: issuer });
});

test('two pages of one plug-in keep their keys apart', async () => {
  await receive(await sign(signingKey));
  verify = createVerifier({ jkuOrigins: [] });
  await expect(receive(await sign(signingKey))).rejects.toMatchObject({ code: 'ERR8' });
});

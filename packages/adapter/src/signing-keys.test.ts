import type { RequestListener } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { downloadKeys, importKeys } from './signing-keys.ts';
import { signingKey, startServer } from './testing/test-host.ts';

const { alg, key } = signingKey.keyDocument;
const document_ = JSON.stringify({ alg, key });
const { signal } = new AbortController();

afterEach(() => void vi.restoreAllMocks());

function download(jku: unknown, jkuOrigins: string[]) {
  return downloadKeys(jku as string, jkuOrigins, { signal, cache: 'default' });
}

async function downloadFrom(listener: RequestListener) {
  await using server = await startServer(listener);
  return await download(`${server.origin}/key.json`, [server.origin]);
}

function withHash(hash: string) {
  const jwk = { ...key, alg: `RS${hash.slice(4)}` };
  return { alg: { ...alg, hash: { name: hash } }, key: jwk };
}

describe('a key', () => {
  test.each(['SHA-256', 'SHA-384', 'SHA-512'])('of a document has its hash: %s', async (hash) => {
    const [imported] = await importKeys(withHash(hash));
    expect(imported).toMatchObject({ type: 'public', extractable: false, usages: ['verify'] });
    expect(imported?.algorithm).toMatchObject({ name: 'RSASSA-PKCS1-v1_5', hash: { name: hash } });
  });

  test('may be a bare JWK that names its algorithm', async () => {
    const [imported] = await importKeys(withHash('SHA-384').key);
    expect(imported?.algorithm).toMatchObject({ hash: { name: 'SHA-384' } });
  });

  test('shorter than 2048 bits is refused', async () => {
    const { publicKey } = await generateKeyPair('RS512', { extractable: true });
    const jwk = await exportJWK(publicKey);
    const short = { ...jwk, n: `w${'A'.repeat(170)}`, alg: 'RS512' };
    await expect(importKeys(short)).rejects.toThrow('Weak key');
  });

  test.each([
    ['contradicts itself', { alg, key: { ...key, alg: 'RS256' } }],
    ['is for encryption', { alg, key: { ...key, use: 'enc' } }],
    ['names an unknown hash', { alg: { ...alg, hash: { name: 'constructor' } }, key }],
    ['is a secret', { alg, key: { kty: 'oct', k: 'AAAA' } }],
    ['is for another algorithm', { ...key, alg: 'PS512' }],
    ['names no algorithm', { ...key, alg: undefined }],
    [
      'is for RSA-PSS',
      { alg: { name: 'RSA-PSS', hash: { name: 'SHA-512' } }, key: { ...key, alg: undefined } },
    ],
    ['names its algorithm as a text', { alg: 'RS512', key }],
    ['is private', { alg, key: { ...key, d: 'AQAB' } }],
    ['has the exponent 3', { alg, key: { ...key, e: 'Aw' } }],
    ['is a private key in a JWKS', { keys: [key, { kty: 'EC', d: 'AAAA' }] }],
    ['is an empty JWKS', { keys: [] }],
    [
      'is a JWKS of other keys',
      { keys: [{ kty: 'EC', alg: 'ES256' }, null, 7, { ...key, alg: undefined }] },
    ],
    ['has keys that are not a list', { keys: 'AAAA' }],
    ['is null', null],
    ['is a text', 'AAAA'],
  ])('that %s is refused with an explanation', async (_what, document) => {
    await expect(importKeys(document)).rejects.not.toBeInstanceOf(TypeError);
  });
});

describe('a JWKS', () => {
  test('returns each of its keys for RS256, RS384 or RS512, and ignores all others', async () => {
    const keys = [
      { kty: 'EC', alg: 'ES256', crv: 'P-256', x: 'AAAA', y: 'AAAA' },
      withHash('SHA-256').key,
      { ...key, alg: 'RSA-OAEP', use: 'enc' },
      key,
    ];
    const imported = await importKeys({ keys });
    expect(imported.map(({ algorithm }) => algorithm)).toMatchObject([
      { hash: { name: 'SHA-256' } },
      { hash: { name: 'SHA-512' } },
    ]);
  });
});

describe('a downloaded document', () => {
  test.each<[string, number, string]>([
    ['is missing', 404, document_],
    ['comes with an error', 500, document_],
    ['is HTML', 200, '<!doctype html><title>Sign in</title>'],
    ['is empty', 200, ''],
    ['is null', 200, 'null'],
    ['is a list', 200, '[]'],
    ['is a JWKS of other keys', 200, '{"keys":[{"kty":"EC"}]}'],
    ['has no content', 204, ''],
    ['is over 64 KB', 200, document_ + ' '.repeat(65_537 - document_.length)],
  ])('that %s is not accepted', async (_what, status, body) => {
    const loading = downloadFrom((_request, response) => response.writeHead(status).end(body));
    await expect(loading).rejects.toMatchObject({
      code: 'ERR7',
      retryable: true,
      cause: expect.any(Error),
    });
  });

  test('may be a JWKS, and may begin with a byte-order mark', async () => {
    for (const body of [JSON.stringify({ keys: [key] }), `\uFEFF${document_}`]) {
      const loading = downloadFrom((_request, response) => response.end(body));
      await expect(loading).resolves.toHaveLength(1);
    }
  });

  test('may have 64 KB', async () => {
    const body = document_ + ' '.repeat(65_536 - document_.length);
    await expect(downloadFrom((_request, response) => response.end(body))).resolves.toBeDefined();
  });

  test('without an end is abandoned after 64 KB', async () => {
    const closed = Promise.withResolvers<void>();
    const loading = downloadFrom((_request, response) => {
      const write = () => response.write(' '.repeat(1024), () => setImmediate(write));
      response.on('close', closed.resolve);
      write();
    });
    await expect(loading).rejects.toMatchObject({ code: 'ERR7', cause: { message: 'Too long' } });
    await closed.promise;
  });

  test('is not loaded through a redirect', async () => {
    await using elsewhere = await startServer((_request, response) => response.end(document_));
    const loading = downloadFrom((_request, response) =>
      response.writeHead(302, { location: `${elsewhere.origin}/key.json` }).end(),
    );
    await expect(loading).rejects.toMatchObject({ code: 'ERR7' });
    expect(elsewhere.requests).toEqual([]);
  });

  test('is requested without cookies', async () => {
    const fetchSpy = vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response(document_));
    await download('https://keys.example/key.json', ['https://keys.example']);
    expect(fetchSpy).toHaveBeenCalledExactlyOnceWith('https://keys.example/key.json', {
      signal,
      cache: 'default',
      credentials: 'omit',
      redirect: 'error',
    });
  });

  test.each<[string, RequestListener, string]>([
    ['the status', (_request, response) => response.writeHead(503).end(), 'Error: HTTP 503'],
    ['what broke', (_request, response) => response.destroy(), 'TypeError: fetch failed'],
  ])('that fails is reported as %s', async (_what, listener, why) => {
    const loading = downloadFrom(listener);
    await expect(loading).rejects.toMatchObject({
      diagnosis: expect.stringMatching(new RegExp(`^No key .*: ${why} http://127.*/key.json$`)),
    });
  });

  test('that the browser blocks is reported with the usual reasons', async () => {
    vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('Failed to fetch'));
    await expect(
      download('https://keys.example/key.json', ['https://keys.example']),
    ).rejects.toMatchObject({
      code: 'ERR7',
      diagnosis: 'No key (CSP? CORS?): TypeError: Failed to fetch https://keys.example/key.json',
    });
  });
});

describe('a download', () => {
  test('adds no listener that would live as long as the signal of the page', async () => {
    const added = vi.spyOn(document, 'addEventListener');
    await downloadFrom((_request, response) => response.end(document_));
    expect(added).not.toHaveBeenCalled();
  });
});

describe('an address in the allow list', () => {
  test.each([
    ['https://keys.example/key.json', 'https://keys.example/key.json'],
    ['https://keys.example:443/key.json', 'https://keys.example/key.json'],
    ['HTTPS://KEYS.Example/key.json', 'https://keys.example/key.json'],
    ['https://keys\u3002example/key.json', 'https://keys.example/key.json'],
    ['https://bücher.example/key.json', 'https://xn--bcher-kva.example/key.json'],
    ['https://xn--bcher-kva.example/key.json', 'https://xn--bcher-kva.example/key.json'],
    ['http://localhost:4600/key.json', 'http://localhost:4600/key.json'],
  ])('may be spelled %s', async (jku, address) => {
    const fetchSpy = vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response(document_));
    const origins = [
      'https://keys.example',
      'https://xn--bcher-kva.example',
      'http://localhost:4600',
    ];
    await expect(download(jku, origins)).resolves.toHaveLength(1);
    expect(fetchSpy).toHaveBeenCalledExactlyOnceWith(address, expect.anything());
  });
});

describe('an address outside the allow list', () => {
  test.each([
    'https://evil.example/?https://keys.example/',
    'https://evil.example/keys.example/key.json',
    'https://keys.example.evil.example/key.json',
    'https://evilkeys.example/key.json',
    'https://sub.keys.example/key.json',
    'https://keys.example@evil.example/key.json',
    'https://user@keys.example/key.json',
    'https://user:pass@keys.example/key.json',
    'https://keys.example:8443/key.json',
    'https://keys.example./key.json',
    'http://keys.example/key.json',
    'https:keys.example/key.json',
    'https:\\\\keys.example\\key.json',
    'https://keys.example\\@evil.example/key.json',
    'https://keys%2eexample/key.json',
    ' https://keys.example/key.json',
    '//keys.example/key.json',
    '/key.json',
    'data:application/json,{}',
    'blob:https://keys.example/1',
    'http://localhost:4601/key.json',
    'http://localhost.evil.example:4600/key.json',
    '',
    null,
    {},
    7,
    ['https://keys.example/key.json'],
  ])('%j causes no fetch', async (jku) => {
    const fetchSpy = vi.spyOn(globalThis, 'fetch');
    await expect(
      download(jku, ['https://keys.example', 'http://localhost:4600']),
    ).rejects.toMatchObject({
      code: 'ERR8',
      diagnosis: `Not in jkuOrigins: ${String(jku)}`,
    });
    expect(fetchSpy).not.toHaveBeenCalled();
  });
});

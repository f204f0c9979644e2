import { createServer } from 'node:http';
import { decodeProtectedHeader, errors, importJWK, type JWK, jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import { createPlatform, type Platform } from './platform.ts';
import { listen } from './testing/listen.ts';
import { startWorld } from './testing/start-world.ts';

async function loadKey(jku = ''): Promise<JWK> {
  return ((await (await fetch(jku)).json()) as { key: JWK }).key;
}

/** Resolves with the URL of the key that verified it. */
async function verify(jwt: string): Promise<string> {
  const { jku = '' } = decodeProtectedHeader(jwt);
  await jwtVerify(jwt, await importJWK(await loadKey(jku)));
  return jku;
}

test('a key of a platform without state has a URL that no key had before', async () => {
  const server = createServer();
  const { origin, stop } = await listen(server);
  const start = () => {
    server.removeAllListeners('request');
    const platform = createPlatform({ origin, keyBits: 2048 });
    server.on('request', platform.callback());
    return platform;
  };
  const urlOf = async (platform: Platform) => verify(await platform.sign({}));

  const before = await urlOf(start());
  const after = await urlOf(start());

  expect(after).not.toBe(before);
  expect((await fetch(before)).status).toBe(404);
  await stop();
});

test('after a rotation another key at another URL signs, and the key before stays published', async () => {
  await using world = await startWorld();
  const before = await world.platform.sign({ n: 1 });

  await world.platform.rotateKey();

  const after = await world.platform.sign({ n: 2 });
  const [beforeUrl, afterUrl] = [await verify(before), await verify(after)];
  expect(afterUrl).not.toBe(beforeUrl);
  await world.install();
  expect(world.plugin.events[0]?.header).toMatchObject({ jku: afterUrl });

  world.restart();

  expect(await verify(before)).toBe(beforeUrl);
  expect(await verify(await world.platform.sign({}))).toBe(afterUrl);
});

test('the next key is published at its own URL before it becomes the own key', async () => {
  await using world = await startWorld();
  const nextUrl = await verify(await world.platform.sign({}, { key: 'next' }));
  expect(nextUrl).not.toBe(await verify(await world.platform.sign({})));

  await world.platform.rotateKey();

  expect(await verify(await world.platform.sign({}))).toBe(nextUrl);
});

test('a stranger names the URL of the own key, and its signature is wrong', async () => {
  await using world = await startWorld();
  const own = await world.platform.sign({});

  const forged = await world.platform.sign({}, { key: 'stranger' });

  expect(decodeProtectedHeader(forged)).toEqual(decodeProtectedHeader(own));
  await expect(verify(forged)).rejects.toThrow(errors.JWSSignatureVerificationFailed);
});

test('members of the header can be replaced and left out', async () => {
  await using world = await startWorld();
  const jku = 'https://keys.example/own.jwk.json';

  const jwt = await world.platform.sign({}, { header: { jku, typ: undefined, alg: 'RS256' } });

  expect(decodeProtectedHeader(jwt)).toEqual({ alg: 'RS256', jku });
});

test('a key may be kept, because its URL never has another one', async () => {
  await using world = await startWorld();
  const { jku = '' } = decodeProtectedHeader(await world.platform.sign({}));

  expect((await fetch(jku)).headers.get('cache-control')).toBe('max-age=86400, immutable');
});

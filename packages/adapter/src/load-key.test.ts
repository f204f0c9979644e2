import type { RequestListener } from 'node:http';
import { describe, expect, test, vi } from 'vitest';
import { createKeyPair, keyDocument, startKeyServer } from './fake-platform.ts';
import { loadKey } from './load-key.ts';

const keyPair = await createKeyPair();
const document = await keyDocument(keyPair);

const parsed = JSON.parse(document) as { alg: object; key: object };
const answers: [string, number, string][] = [
  ['is missing', 404, document],
  ['is an error page', 500, '<h1>Sorry</h1>'],
  ['is HTML', 200, '<!doctype html><title>Sign in</title>'],
  ['is empty', 200, ''],
  ['is null', 200, 'null'],
  ['is a bare list', 200, '[]'],
  ['is a JWKS', 200, JSON.stringify({ keys: [parsed.key] })],
  ['is larger than 64 KiB', 200, `${document}${' '.repeat(64 * 1024)}`],
  ['contradicts itself', 200, JSON.stringify({ ...parsed, key: { ...parsed.key, alg: 'RS256' } })],
  ['names a foreign hash', 200, await keyDocument(keyPair, 'SHA-1')],
  ['names an inherited hash', 200, document.replace('SHA-512', 'constructor')],
  ['names HMAC', 200, document.replace('RSASSA-PKCS1-v1_5', 'HMAC')],
  ['holds a secret key', 200, JSON.stringify({ ...parsed, key: { kty: 'oct', k: 'AAAA' } })],
  [
    'holds a short key',
    200,
    JSON.stringify({ ...parsed, key: { ...parsed.key, n: `w${'A'.repeat(170)}` } }),
  ],
];

function load(jku: unknown, keyOrigins: string[], fetchKey = fetch) {
  const { signal } = new AbortController();
  return loadKey(jku, { keyOrigins, fetch: fetchKey, signal });
}

async function loadFrom(listener: RequestListener) {
  await using server = await startKeyServer(listener);
  return await load(`${server.origin}/key.json`, [server.origin]);
}

describe('the key document', () => {
  test.each(['SHA-256', 'SHA-384', 'SHA-512'])('fixes the algorithm: %s', async (hash) => {
    const body = await keyDocument(keyPair, hash);
    const { key, alg } = await loadFrom((_request, response) => response.end(body));
    expect(alg).toBe(`RS${hash.slice(4)}`);
    expect(key).toMatchObject({ type: 'public', extractable: false, usages: ['verify'] });
  });

  test.each(answers)('that %s is refused', async (_what, status, body) => {
    const loading = loadFrom((_request, response) => response.writeHead(status).end(body));
    await expect(loading).rejects.toMatchObject({
      code: 'ERR7',
      message: 'Insecure plug-in communication',
      cause: expect.any(Error),
    });
  });

  test('behind a redirect is not followed', async () => {
    await using elsewhere = await startKeyServer((_request, response) => response.end(document));
    const loading = loadFrom((_request, response) =>
      response.writeHead(302, { location: `${elsewhere.origin}/key.json` }).end(),
    );
    await expect(loading).rejects.toMatchObject({ code: 'ERR7' });
    expect(elsewhere.requests).toEqual([]);
  });

  test('of a host that is down is refused', async () => {
    const loading = load('http://127.0.0.1:9/key.json', ['http://127.0.0.1:9']);
    await expect(loading).rejects.toMatchObject({ code: 'ERR7' });
  });

  test('is asked for without cookies, redirects or referrer', async () => {
    const fetchKey = vi.fn<typeof fetch>(async () => new Response(document));
    await load('https://keys.example/a/key.json', ['https://keys.example'], fetchKey);
    expect(fetchKey).toHaveBeenCalledExactlyOnceWith(
      'https://keys.example/a/key.json',
      expect.objectContaining({
        credentials: 'omit',
        redirect: 'error',
        referrerPolicy: 'no-referrer',
      }),
    );
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
    'HTTPS://keys.example/key.json',
    'https://KEYS.example/key.json',
    'https:keys.example/key.json',
    'https:\\\\keys.example\\key.json',
    'https://keys.example\\@evil.example/key.json',
    'https://keys\u3002example/key.json',
    'https://keys%2eexample/key.json',
    'https://keys.example:443/key.json',
    'https://keys.example/a/../key.json',
    ' https://keys.example/key.json',
    '//keys.example/key.json',
    '/key.json',
    'file:///etc/passwd',
    'data:application/json,{}',
    'blob:https://keys.example/1',
    'ftp://keys.example/key.json',
    'http://localhost/key.json',
    'http://listed.example/key.json',
    'https://localhost:4600/key.json',
    'http://localhost:4601/key.json',
    'http://localhost.evil.example:4600/key.json',
    '',
    null,
    {},
  ])('%j fetches nothing', async (jku) => {
    const fetchKey = vi.fn<typeof fetch>();
    const keyOrigins = [
      'https://keys.example',
      'http://localhost:4600',
      'http://listed.example',
      'no url',
    ];
    await expect(load(jku, keyOrigins, fetchKey)).rejects.toMatchObject({ code: 'ERR8' });
    expect(fetchKey).not.toHaveBeenCalled();
  });
});

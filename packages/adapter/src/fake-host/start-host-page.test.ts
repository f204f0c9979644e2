import { request } from 'node:http';
import { expect, test } from 'vitest';
import { startHostPage } from './start-host-page.ts';

const keyPath = `/keys/${crypto.randomUUID()}.json`;

function put(url: string, headers: Record<string, string>, body = '{"key":{}}') {
  return fetch(url, { method: 'PUT', headers, body });
}

test.each([
  ['/', 'text/html'],
  ['/?plugin=x', 'text/html'],
  ['/host.js', 'text/javascript'],
  ['/wire.js', 'text/javascript'],
])('%s is served as %s', async (path, type) => {
  await using host = await startHostPage(0);
  const response = await fetch(`${host.origin}${path}`);
  expect(response.headers.get('content-type')).toBe(`${type}; charset=utf-8`);
});

test.each(['/wire.ts', '/../package.json', '/%2e%2e/package.json', keyPath])(
  '%s is not served',
  async (path) => {
    await using host = await startHostPage(0);
    expect((await fetch(`${host.origin}${path}`)).status).toBe(404);
  },
);

test('the page loads what signs its tokens without types', async () => {
  await using host = await startHostPage(0);
  const code = await (await fetch(`${host.origin}/wire.js`)).text();

  const { createSigningKey } = await import(`data:text/javascript,${encodeURIComponent(code)}`);

  expect(await createSigningKey()).toHaveProperty('keyDocument.key.kty', 'RSA');
});

test('a key that the page publishes may be read from any origin', async () => {
  await using host = await startHostPage(0);
  expect((await put(`${host.origin}${keyPath}`, { origin: host.origin })).status).toBe(201);

  const response = await fetch(`${host.origin}${keyPath}`);

  expect(await response.json()).toEqual({ key: {} });
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
});

test('of more keys than a hundred, the oldest is dropped', async () => {
  await using host = await startHostPage(0);
  const paths = Array.from({ length: 101 }, () => `/keys/${crypto.randomUUID()}.json`);
  for (const path of paths) {
    expect((await put(`${host.origin}${path}`, { origin: host.origin })).status).toBe(201);
  }

  expect((await fetch(`${host.origin}${paths.at(-1)}`)).status).toBe(200);
  expect((await fetch(`${host.origin}${paths[0]}`)).status).toBe(404);
});

test.each([
  ['from another page', keyPath, 'https://evil.example', '{}'],
  ['under another name', '/host.js', undefined, '{}'],
  ['that is large', keyPath, undefined, 'A'.repeat(4097)],
])('a key %s is not kept', async (_what, path, origin, body) => {
  await using host = await startHostPage(0);
  const response = await put(`${host.origin}${path}`, { origin: origin ?? host.origin }, body);
  expect(response.status).toBe(403);
});

test('another name for the address is refused', async () => {
  await using host = await startHostPage(0);
  const status = await new Promise((resolve) => {
    request(host.origin, { headers: { host: 'evil.example' } }, ({ statusCode }) =>
      resolve(statusCode),
    ).end();
  });
  expect(status).toBe(421);
});

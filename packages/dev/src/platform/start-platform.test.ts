import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOnUnusedPort } from '@dowel/settings/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type RunningPlatform, startPlatform } from './start-platform.ts';

let webRoot: string;
let emulator: RunningPlatform;

beforeEach(async () => {
  webRoot = await mkdtemp(join(tmpdir(), 'dowel-emulator-'));
  emulator = await startOnUnusedPort((port) =>
    startPlatform({
      port,
      host: '127.0.0.1',
      webRoot,
      sampleManifestUrl: 'http://localhost:1/m.json?a=1&b="',
      onError: () => undefined,
      platform: { keyBits: 2048 },
    }),
  );
});

afterEach(async () => {
  await emulator.close();
  await rm(webRoot, { recursive: true });
});

async function buildPages(): Promise<void> {
  await mkdir(join(webRoot, 'assets'));
  await writeFile(join(webRoot, 'index.html'), '<!doctype html><head></head>');
  await writeFile(join(webRoot, 'assets/index-abc123.js'), 'export {};');
}

const get = (path: string, accept = 'text/html') =>
  fetch(`${emulator.url}${path}`, { headers: { accept } });

test('every page is index.html with a manifest to try, and may frame plug-ins from anywhere', async () => {
  await buildPages();

  for (const path of ['/', '/inbox', '/plugins/some-id']) {
    const response = await get(path);

    expect(await response.text()).toBe(
      '<!doctype html><head><meta name="dowel-sample-manifest" ' +
        'content="http://localhost:1/m.json?a=1&amp;b=&quot;"></head>',
    );
    expect(response.headers.get('content-security-policy')).toContain('frame-src http: https:');
    expect(response.headers.get('referrer-policy')).toBe('strict-origin');
    expect(response.headers.get('cache-control')).toBe('no-cache');
  }
});

test('built assets are immutable, missing ones are 404', async () => {
  await buildPages();

  const asset = await get('/assets/index-abc123.js', '*/*');
  const missing = await get('/assets/index-gone.js', 'text/javascript');

  expect(asset.headers.get('cache-control')).toContain('immutable');
  expect(asset.headers.get('content-type')).toContain('javascript');
  expect([missing.status, await missing.json()]).toMatchObject([404, { code: 'NOT_FOUND' }]);
  expect(missing.headers.get('cache-control')).toBe('no-store');
});

test('no file outside of the folder is sent', async () => {
  await buildPages();
  await writeFile(join(webRoot, '..', 'secret.js'), 'secret');

  for (const path of ['/..%2Fsecret.js', '/..%5Csecret.js', '/assets/%E0%A4%A.js', '/assets']) {
    expect([path, (await get(path, 'text/javascript')).status]).toEqual([path, 404]);
  }
  await rm(join(webRoot, '..', 'secret.js'));
});

test('paths of the platform are never answered with a page', async () => {
  await buildPages();

  for (const path of ['/control/nothing', '/t/acme', '/certificates/other', '/control']) {
    const response = await get(path);

    expect([path, response.status]).toEqual([path, 404]);
    expect(await response.json()).toMatchObject({ code: 'NOT_FOUND' });
  }
});

test('the platform answers beside its pages', async () => {
  const response = await get('/control/tenants', 'application/json');

  const { tenants } = (await response.json()) as { tenants: { baseUrl: string }[] };
  expect(tenants[0]?.baseUrl).toBe(`${emulator.url}/t/acme`);
});

test('a missing build is answered 503 with the reason', async () => {
  const response = await get('/');

  expect(response.status).toBe(503);
  expect(await response.text()).toMatch(/pages of the emulator are missing: .+ has no index\.html/);
});

test('a page under another name of this machine redirects to the control API’s origin', async () => {
  await buildPages();
  const { port } = new URL(emulator.url);

  const response = await fetch(`http://127.0.0.1:${port}/inbox?a=1`, {
    headers: { accept: 'text/html' },
    redirect: 'manual',
  });

  expect(response.status).toBe(302);
  expect(response.headers.get('location')).toBe(`${emulator.url}/inbox?a=1`);
});

test('a page is read, never written', async () => {
  expect((await fetch(`${emulator.url}/`, { method: 'POST' })).status).toBe(405);
});

/** The status, the media type and the body of the answer to a target that `fetch` does not send. */
async function requestRaw(target: string): Promise<{ status: number; type: string; body: string }> {
  const { port, host } = new URL(emulator.url);
  const socket = connect(Number(port), '127.0.0.1').setEncoding('latin1');
  socket.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  let text = '';
  for await (const piece of socket) text += piece;
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [, type = ''] = /^content-type: ([^;\r]*)/im.exec(head) ?? [];
  return { status: Number(head.slice(9, 12)), type, body };
}

test.each(['/control/nowhere', '/t/nowhere', '/certificates/nowhere'])(
  'a whole URL is a request for its path: %s is answered by the platform',
  async (path) => {
    await buildPages();

    const { status, type, body } = await requestRaw(`${emulator.url}${path}`);

    expect([status, type]).toEqual([404, 'application/json']);
    expect(JSON.parse(body)).toMatchObject({ code: 'NOT_FOUND' });
  },
);

test.each(['http://%E0%A4%A@fail/control/', 'http://[/control', '/control#x', '*'])(
  'the target %s is refused in JSON',
  async (target) => {
    const { status, type, body } = await requestRaw(target);

    expect([status, type]).toEqual([400, 'application/json']);
    expect(JSON.parse(body)).toMatchObject({ code: 'INVALID_REQUEST' });
  },
);

test('after a start that fails nothing listens', async () => {
  const countListening = () =>
    process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;
  const starting = startPlatform({
    port: 0,
    host: '127.0.0.1',
    webRoot,
    sampleManifestUrl: 'http://localhost:1/m.json',
    onError: () => undefined,
    platform: { keyBits: 1024 },
  });

  await expect(starting).rejects.toThrow(TypeError);

  // The emulator of this test.
  await expect.poll(countListening, { timeout: 120_000 }).toBe(1);
});

/** The files of the pages, as browsers, proxies and unusual clients receive them. */
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../testing/start-world.ts';

const script = 'export const answer = 42;\n'.repeat(1_000);
const page = '<!doctype html><title>Page</title>';
let folder: string;
let world: World;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowel-pages-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), page);
  await writeFile(join(folder, 'robots.txt'), 'none');
  await writeFile(join(folder, 'assets/index-abc.js'), script);
  await writeFile(join(folder, 'assets/index-abc.js.br'), brotliCompressSync(script));
  await writeFile(join(folder, 'assets/index-abc.js.gz'), gzipSync(script));
  await writeFile(join(folder, 'assets/mark-abc.svg'), '<svg/>');
  // Two compressed files of the same size and time; only their names differ.
  for (const extension of ['', '.br', '.gz']) {
    const path = join(folder, `assets/twins-abc.js${extension}`);
    await writeFile(path, '12345678');
    await utimes(path, 1, 1);
  }
  world = await startWorld({ app: { pages: { plugin: folder, admin: folder } } });
});

afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

/** Unchanged: `fetch` decodes bodies, normalises paths and adds headers of its own. */
async function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const { response, body } = await new Promise<{
    response: { statusCode?: number | undefined; headers: Record<string, unknown> };
    body: Buffer;
  }>((resolve, reject) => {
    const { hostname, port } = new URL(world.url);
    request({ hostname, port, path, method, headers }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => resolve({ response: incoming, body: Buffer.concat(chunks) }));
    })
      .on('error', reject)
      .end();
  });
  return { status: response.statusCode, headers: response.headers, body };
}

const asset = '/admin/assets/index-abc.js';
const plain = (body: Buffer) => body;

describe.each([asset, '/plugin/assets/index-abc.js'])('%s', (path) => {
  test.each([
    ['br', 'br', brotliDecompressSync],
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['*', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['gzip, br;q=0', 'gzip', gunzipSync],
    ['identity', undefined, plain],
    ['deflate, zstd', undefined, plain],
    ['*;q=0', undefined, plain],
    ['', undefined, plain],
  ])('for Accept-Encoding: %s comes as %s', async (accepted, encoding, decode) => {
    const { status, headers, body } = await get(path, { 'accept-encoding': accepted });

    expect(status).toBe(200);
    expect(headers['content-encoding']).toBe(encoding);
    expect(headers.vary).toBe('Accept-Encoding');
    expect(headers['content-type']).toContain('javascript');
    expect(headers['content-length']).toBe(String(body.byteLength));
    expect(decode(body).toString()).toBe(script);
  });
});

test.each([asset, '/admin/assets/twins-abc.js'])(
  'each encoding of %s has an entity tag of its own, with which it is not sent again',
  async (path) => {
    const tags = new Set<unknown>();
    for (const encoding of ['br', 'gzip', 'identity']) {
      const first = await get(path, { 'accept-encoding': encoding });
      const tag = String(first.headers.etag);
      tags.add(tag);
      const again = await get(path, { 'accept-encoding': encoding, 'if-none-match': tag });

      expect(tag).toMatch(/^"[^"]+"$/);
      expect(again).toMatchObject({ status: 304, body: Buffer.alloc(0) });
      expect(again.headers).toMatchObject({ etag: tag, vary: 'Accept-Encoding' });
      expect(again.headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(again.headers).not.toHaveProperty('content-encoding');
    }
    expect(tags.size).toBe(3);
  },
);

test('a page that is built again is sent again, even with the same size and time', async () => {
  const path = join(folder, 'built.txt');
  const build = async (content: string) => {
    await writeFile(path, content);
    await utimes(path, 1, 1);
  };
  await build('one');
  const { etag, ...headers } = (await get('/admin/built.txt')).headers;
  expect(headers).not.toHaveProperty('last-modified');

  await build('two');
  const again = await get('/admin/built.txt', { 'if-none-match': String(etag) });

  expect(again).toMatchObject({ status: 200, body: Buffer.from('two') });
});

test('HEAD has the headers of GET and no body', async () => {
  const head = await get(asset, { 'accept-encoding': 'br' }, 'HEAD');
  const { headers } = await get(asset, { 'accept-encoding': 'br' });

  expect(head).toMatchObject({ status: 200, body: Buffer.alloc(0) });
  for (const name of ['content-length', 'content-encoding', 'content-type', 'etag', 'vary']) {
    expect([name, head.headers[name]]).toEqual([name, headers[name]]);
  }
});

test('the page is revalidated every time, and a file without a compressed form is sent unchanged', async () => {
  const first = await get('/admin/', { 'accept-encoding': 'br' });
  expect(first.headers['cache-control']).toBe('no-cache');
  expect(first.body.toString()).toBe(page);
  const tag = String(first.headers.etag);
  expect((await get('/admin/', { 'if-none-match': tag })).status).toBe(304);

  const mark = await get('/admin/assets/mark-abc.svg', { 'accept-encoding': 'br' });
  expect(mark.headers).not.toHaveProperty('content-encoding');
  expect(mark.body.toString()).toBe('<svg/>');
});

test('a path of the dashboard is its page, a path with an extension a file, and an unknown call JSON', async () => {
  expect((await get('/admin/installations/5f')).body.toString()).toBe(page);
  expect((await get('/plugin/config')).body.toString()).toBe(page);
  expect((await get('/admin/robots.txt')).body.toString()).toBe('none');
  for (const path of [
    '/admin/favicon.ico',
    '/plugin/old.js',
    '/admin/assets/gone.js',
    '/admin/assets/index-abc.js.br',
    '/admin/assets/index-abc.js.gz',
    '/admin/assets/index-abc.js%2Ebr',
    '/admin/assets/index-abc.js%2egz',
    '/admin/assets/..%2Findex.html',
    '/admin/assets/..%5Cindex.html',
    '/admin/assets/%2E%2E/index.html',
    '/plugin/assets/x%2F..%2F..%2Findex.html',
    '/plugin/assets/%2Findex-abc.js',
    '/plugin/assets//index-abc.js',
    '/plugin/assets/./index-abc.js',
    '/plugin/assets%2F.%2Findex-abc.js',
    '/plugin/assets/index-abc.js%00',
    '/plugin/assets/index-abc.js%2F',
    '/plugin/assets/%E0%A4%A.js',
    '/plugin/assets/',
    '/ADMIN/',
    '/Plugin/assets/index-abc.js',
    '/Manifest.json',
    '/manifest.json/',
    '/admin/api/session/',
    '/API/session',
    '/admin/api',
    '/admin/api/',
    '/admin/api/unknown',
    '/ADMIN/API/unknown',
    '/admin/api/fleet/installations/5f/more',
  ]) {
    const { status, headers, body } = await get(path, { 'accept-encoding': 'br' });
    expect([path, status]).toEqual([path, 404]);
    expect(JSON.parse(body.toString())).toMatchObject({ code: 'NOT_FOUND' });
    expect(headers).not.toHaveProperty('content-encoding');
    expect(headers['cache-control']).toBe('no-store');
  }
});

test('a call has one address: another case or a final slash is answered 404', async () => {
  const statuses = [];
  for (const path of ['/api/session', '/api/session/', '/api/Session', '/API/session']) {
    statuses.push((await get(path, { 'content-type': 'text/plain' }, 'POST')).status);
  }
  expect(statuses).toEqual([415, 404, 404, 404]);
});

test.each(['/api/session', '/api/createNotification', '/admin/api/session', '/admin/api/changes'])(
  'a known call with another method is answered 405: PUT %s',
  async (path) => {
    const response = await get(path, { 'x-dowel-csrf': '1' }, 'PUT');

    expect(response.status).toBe(405);
    expect(JSON.parse(response.body.toString())).toMatchObject({ code: 'METHOD_NOT_ALLOWED' });
  },
);

test.each(['/api', '/api/', '/api/unknown', '/admin/api', '/admin/api/', '/admin/api/unknown/x'])(
  'an unknown call is answered 404 for every method: %s',
  async (path) => {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const response = await get(path, { 'x-dowel-csrf': '1' }, method);
      // A page's browser asks before the page can read that there is nothing.
      const isAsked = method === 'OPTIONS' && path.startsWith('/api/');
      expect([method, response.status]).toEqual([method, isAsked ? 204 : 404]);
    }
  },
);

test('a file is immutable only under its own name, in every spelling', async () => {
  for (const path of ['/admin/assets/index-abc.js', '/admin/%61ssets%2Findex%2Dabc.js']) {
    const { status, headers, body } = await get(path);
    expect([path, status, body.toString()]).toEqual([path, 200, script]);
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
  }
  expect((await get('/admin/%69ndex.html')).headers['cache-control']).toBe('no-cache');
});

test('an answer that can hold a secret is never compressed', async () => {
  const { instanceId } = await world.install();
  const initJwt = await world.createInitJwt(instanceId);
  const encodings = { 'accept-encoding': 'gzip, br' };
  const responses = [
    await world.post('/api/session', { initJwt, instanceId }, encodings),
    await world.post(
      '/admin/api/session',
      { code: world.signInCode },
      { 'x-dowel-csrf': '1', ...encodings },
    ),
    await fetch(`${world.url}/admin/api/session`, { headers: encodings }),
  ];

  expect(responses.map(({ status }) => status)).toEqual([201, 201, 401]);
  for (const { headers } of responses) expect(headers.get('content-encoding')).toBeNull();
});

/** Row F09: the headers of every answer, from Koa and from Node. The routers supply the list of routes. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createInstallEvent, exchangeRaw, sendEvent } from '../testing/send-event.ts';
import { startWorld, type World } from '../testing/start-world.ts';

let folder: string;
const worlds: World[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowel-pages-'));
  await writeFile(join(folder, 'index.html'), '<!doctype html>');
  const pages = { plugin: folder, admin: folder };
  worlds.push(
    await startWorld({ app: { pages } }),
    await startWorld({ app: { pages, publicUrl: 'https://plugin.example' } }),
  );
});

afterAll(async () => {
  for (const world of worlds) await world[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

interface Answer {
  status: number;
  headers: Headers;
}

/** @param what names the answer in a failure message. */
function expectSafe(what: string, { headers }: Answer, isHttps: boolean): void {
  const of = (name: string) => `${what} ${name}: ${headers.get(name)}`;
  const csp = headers.get('content-security-policy') ?? '';
  expect(of('x-content-type-options')).toMatch(/: nosniff$/);
  expect(of('referrer-policy')).toMatch(/: no-referrer$/);
  expect(of('content-security-policy')).toMatch(/default-src '(?:none|self)'/);
  expect(of('content-security-policy')).toMatch(/frame-ancestors /);
  const isFramed = !csp.includes("frame-ancestors 'none'");
  expect(of('x-frame-options')).toMatch(isFramed ? /: null$/ : /: DENY$/);
  expect(of('strict-transport-security')).toMatch(isHttps ? /: max-age=31536000$/ : /: null$/);
  expect(of('cache-control')).toMatch(/: (?:no-store|no-cache)(?:, no-transform)?$/);
}

const mayBeKept = /^\/(?:(?:manifest|openapi)\.json|plugin\/|admin\/(?!api))/;

describe.each([
  ['http', 0],
  ['https', 1],
])('over %s', (_, index) => {
  const isHttps = index === 1;
  const worldOf = () => worlds[index] as World;

  test('F09: every route’s answer is safe, for every method', async () => {
    const world = worldOf();
    expect(world.routes.length).toBeGreaterThan(15);
    const paths = new Set(world.routes.map(({ path }) => path));
    for (const pattern of paths) {
      const path = pattern.replace(/\{\*\w+\}/, 'x').replace(/:\w+/g, 'x');
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
        const answer = await fetch(`${world.url}${path}`, { method, redirect: 'manual' });
        const what = `${method} ${path} ${answer.status}`;
        expectSafe(what, answer, isHttps);
        const isKept = answer.headers.get('cache-control') === 'no-cache';
        expect(`${what} ${isKept && !(mayBeKept.test(path) && answer.ok)}`).toBe(`${what} false`);
      }
    }
  });

  test.each([
    ['a header that is too large', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['a request that is not HTTP', 'HELLO\r\n\r\n', 400],
    ['a request without Host', 'GET / HTTP/1.1\r\n\r\n', 400],
    ['an unsupported expectation', 'POST / HTTP/1.1\r\nHost: x\r\nExpect: x\r\n\r\n', 417],
    ['a tunnel', 'CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n', 405],
    [
      'a chunk with a bag of extensions',
      `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5;${'x'.repeat(20_000)}`,
      413,
    ],
  ])('F09: Node’s own answer to %s is safe', async (what, request, status) => {
    const text = await exchangeRaw(worldOf(), request);

    const [head = ''] = text.split('\r\n\r\n', 1);
    const [statusLine, ...lines] = head.split('\r\n');
    expect(statusLine).toContain(` ${status} `);
    const headers = new Headers(lines.map((line) => line.split(': ', 2) as [string, string]));
    expectSafe(what, { status, headers }, isHttps);
  });
});

test('F09, H11: answers that hold a token or an operator’s data are not cached', async () => {
  const world = worlds[0] as World;
  const { instanceId, installationId } = await world.install();
  const signIn = await world.post(
    '/admin/api/session',
    { code: world.signInCode },
    { 'x-dowel-csrf': '1' },
  );
  const [cookie = ''] = (signIn.headers.get('set-cookie') ?? '').split(';');
  const read = (path: string) => fetch(`${world.url}/admin/api/${path}`, { headers: { cookie } });
  const initJwt = await world.createInitJwt(instanceId);
  const answers = [
    signIn,
    await world.post('/api/session', { initJwt, instanceId }),
    await world.notify(await world.openSession(instanceId), 'Hello'),
    await sendEvent(world, await createInstallEvent(world)),
    await read('session'),
    await read('fleet'),
    await read('fleet/installations'),
    await read(`fleet/installations/${installationId}`),
    await read('fleet/export?format=json'),
    await read('changes'),
  ];

  for (const answer of answers) {
    expect([answer.url, answer.ok]).toEqual([answer.url, true]);
    const [cache] = (answer.headers.get('cache-control') ?? '').split(', ');
    expect([answer.url, cache]).toEqual([answer.url, 'no-store']);
    expectSafe(answer.url, answer, false);
  }
  await answers.at(-1)?.body?.cancel();
});

test('F09: the platform may load the manifest, the configuration and the page that it frames', async () => {
  const world = worlds[0] as World;
  const { headers } = await fetch(`${world.url}/plugin/`);

  expect(headers.get('content-security-policy')).toContain(
    `frame-ancestors ${world.platform.origin}`,
  );
  expect(headers.get('x-frame-options')).toBeNull();
  expect(headers.get('origin-agent-cluster')).toBeNull();
  for (const path of ['/manifest.json', '/plugin/config.json']) {
    const answer = await fetch(`${world.url}${path}`);
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  }
});

test('F09: a plug-in without known platforms cannot be framed', async () => {
  await using world = await startWorld({ app: { trust: [] } });

  expectSafe('/plugin/', await fetch(`${world.url}/plugin/`), false);
});

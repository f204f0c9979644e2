/** A mounted handler whose server is not open. */
import { createServer, type Server as HttpServer } from 'node:http';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createServer as createDowel } from '../create-server.ts';
import type { Server, ServerOptions } from '../server-options.ts';
import { closeHost, listenOnLoopback } from '../testing/loopback.ts';
import { startServerWorld } from '../testing/server-world.ts';
import { createHandlerContext, type HandlerContext, handleRequest } from './node-handler.ts';

let host: HttpServer;
let url: string;
let context: HandlerContext;
let warnings: unknown[];

beforeEach(async () => {
  warnings = [];
  const log = { warn: (message: unknown) => void warnings.push(message), error: () => {} };
  context = createHandlerContext(log, () => ({ basePath: '', stripBasePath: 'auto' }));
  host = createServer((request, response) => handleRequest(context, { request, response }));
  url = await listenOnLoopback(host);
  vi.useFakeTimers({ toFake: ['setTimeout'] });
});
afterEach(async () => {
  vi.useRealTimers();
  await closeHost(host);
});

/** The statuses at a host whose own routes answer 418. */
async function askHost(server: Pick<Server, 'callback'>, paths: readonly string[]) {
  const handle = server.callback();
  const mounted = createServer((request, response) =>
    handle(request, response, () => void response.writeHead(418).end()),
  );
  const origin = await listenOnLoopback(mounted);
  const answers = await Promise.all(paths.map((path) => fetch(`${origin}${path}`)));
  await closeHost(mounted);
  return answers.map(({ status }) => status);
}

async function requestTwice(): Promise<void> {
  for (const _ of [1, 2]) expect((await fetch(url)).status).toBe(503);
}

test('after five seconds of requests, one log line reports that open() was not called', async () => {
  await requestTwice();

  vi.advanceTimersByTime(4_999);
  expect(warnings).toEqual([]);
  vi.advanceTimersByTime(1);
  await requestTwice();
  vi.advanceTimersByTime(60_000);

  expect(warnings).toEqual([expect.stringContaining('open() was not called')]);
});

test('before open, a browser may ask, and its page can read the 503', async () => {
  const preflight = await fetch(`${url}/api/vote`, { method: 'OPTIONS' });
  const answer = await fetch(`${url}/api/vote`, { method: 'POST', body: '{}' });

  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-headers')).toMatch(/\bAuthorization\b/);
  expect(preflight.headers.get('access-control-allow-methods')).toMatch(/\bPOST\b/);
  for (const { headers } of [preflight, answer]) {
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('dowel-answer')).toBe('1');
  }
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
});

test('a server that opens within five seconds is not warned of', async () => {
  await requestTwice();

  context.isOpening = true;
  vi.advanceTimersByTime(60_000);

  expect(warnings).toEqual([]);
});

const paths = ['/polls/livez', '/polls', '/hello', '/pollsters'];
const own = 418;

test.each<[string, ServerOptions, number[]]>([
  ['the option', { publicUrl: 'http://localhost/polls' }, [503, 503, own, own]],
  [
    'the environment',
    { environment: { DOWEL_PUBLIC_URL: 'http://localhost/polls/' } },
    [503, 503, own, own],
  ],
  ['the default, which has no path', {}, [503, 503, 503, 503]],
  [
    'the option, but a proxy takes it off',
    { publicUrl: 'http://localhost/polls', stripBasePath: false },
    [503, 503, 503, 503],
  ],
  ['a public URL that is none', { publicUrl: 'polls' }, [503, 503, 503, 503]],
])(
  'before open, requests outside the base path go on to the host; it is known from %s',
  async (_, options, statuses) => {
    const server = createDowel({ environment: {}, ...options });

    expect(await askHost(server, paths)).toEqual(statuses);
    await server.close();
  },
);

test('after close, requests outside the base path still go on to the host', async () => {
  vi.useRealTimers();
  await using world = await startServerWorld();
  const environment: Record<string, string> = { DOWEL_PUBLIC_URL: 'http://localhost/polls' };
  const server = world.create({ environment });
  await server.open();
  // What was true for `open` stays true.
  environment.DOWEL_PUBLIC_URL = 'http://localhost/other';
  expect(await askHost(server, paths)).toEqual([200, 404, own, own]);

  await server.close();

  expect(await askHost(server, paths)).toEqual([503, 503, own, own]);
});

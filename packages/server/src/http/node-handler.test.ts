/** A mounted handler whose server is not open. */
import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { closeHost, listenOnLoopback } from '../testing/loopback.ts';
import { createHandlerContext, type HandlerContext, handleRequest } from './node-handler.ts';

let host: Server;
let url: string;
let context: HandlerContext;
let warnings: unknown[];

beforeEach(async () => {
  warnings = [];
  context = createHandlerContext({ warn: (message: unknown) => void warnings.push(message) });
  host = createServer((request, response) => handleRequest(context, { request, response }));
  url = await listenOnLoopback(host);
  vi.useFakeTimers({ toFake: ['setTimeout'] });
});
afterEach(async () => {
  vi.useRealTimers();
  await closeHost(host);
});

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
  }
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
});

test('a server that opens within five seconds is not warned of', async () => {
  await requestTwice();

  context.isOpening = true;
  vi.advanceTimersByTime(60_000);

  expect(warnings).toEqual([]);
});

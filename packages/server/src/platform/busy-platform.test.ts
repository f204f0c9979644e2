/** The iframe's answers when the platform limits calls or is down. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startWorld, type World } from '../testing/start-world.ts';
import { readRetryAfter } from './retry-after.ts';

let world: World;
let busyPlatform: Server;
let answer: { status: number; headers: Record<string, string> };
let asked = 0;

beforeEach(async () => {
  asked = 0;
  busyPlatform = createServer((_request, response) => {
    asked += 1;
    response.writeHead(answer.status, { 'content-type': 'text/html', ...answer.headers });
    response.end('<h1>tenant 4711 is over quota</h1>');
  });
  await new Promise<void>((resolve) => busyPlatform.listen(0, '127.0.0.1', resolve));
  const { port } = busyPlatform.address() as AddressInfo;
  world = await startWorld({
    app: {
      fetch: (input, init) =>
        fetch(String(input).endsWith('/notifications') ? `http://127.0.0.1:${port}` : input, init),
    },
  });
});

afterEach(async () => {
  await world[Symbol.asyncDispose]();
  busyPlatform.closeAllConnections();
  busyPlatform.close();
});

test.each([
  [429, { 'retry-after': '7' }, 429, 'PLATFORM_LIMITED', '7'],
  [429, {}, 429, 'PLATFORM_LIMITED', '30'],
  [429, { 'retry-after': '7, 8' }, 429, 'PLATFORM_LIMITED', '30'],
  [503, { 'retry-after': '9' }, 503, 'PLATFORM_BUSY', '9'],
  [503, {}, 502, 'PLATFORM_FAILED', null],
  [500, { 'retry-after': '9' }, 502, 'OUTCOME_UNKNOWN', null],
])(
  'the platform’s %i with %j reaches the iframe as %i %s, to be tried again after %s s',
  async (platformStatus, headers, status, code, seconds) => {
    answer = { status: platformStatus, headers };
    const { instanceId } = await world.install();
    const session = await world.openSession(instanceId);

    const response = await world.notify(session, 'Lunch?');

    expect(response.status).toBe(status);
    expect(response.headers.get('retry-after')).toBe(seconds);
    expect(response.headers.get('access-control-expose-headers')).toBe(
      'Dowel-Answer, Retry-After, X-Request-Id',
    );
    const body = await response.text();
    expect(JSON.parse(body)).toMatchObject({ code });
    expect(body).not.toContain('4711');
    expect(asked).toBe(1);
  },
);

const now = Date.UTC(2026, 0, 1, 12, 0, 0);

test.each([
  ['0', 1],
  ['86400', 3_600],
  ['999999999', 3_600],
  ['Thu, 01 Jan 2026 12:01:30 GMT', 90],
  ['Thu, 01 Jan 2026 11:00:00 GMT', 1],
  ['Thu, 01 Jan 2036 12:00:00 GMT', 3_600],
  ['Xxx, 99 Jan 2026 12:00:00 GMT', 30],
  ['-5', 30],
  ['1e9', 30],
  ['7.5', 30],
  ['9'.repeat(400), 30],
  ['7\r\nSet-Cookie: a=b', 30],
  ['', 30],
  [null, 30],
])('Retry-After %j is passed on as %i seconds', (header, seconds) => {
  expect(readRetryAfter(header, now)).toBe(seconds);
});

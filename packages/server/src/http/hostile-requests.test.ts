/** Malformed requests on real sockets: rows A16 and F09. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { exchangeRaw } from '../testing/send-event.ts';
import { startWorld, type World } from '../testing/start-world.ts';

let world: World;

beforeEach(async () => {
  world = await startWorld();
  world.logs.length = 0;
});

afterEach(() => world[Symbol.asyncDispose]());

/** All answers on one connection, until the server closes it. */
async function send(
  head: string,
  body = '',
): Promise<{ status: number; head: string; body: string }[]> {
  const text = await exchangeRaw(world, `${head}\r\n\r\n${body}`);
  return text.split(/(?=HTTP\/1\.1 \d{3} )/).map((answer) => {
    const [answerHead = '', ...rest] = answer.split('\r\n\r\n');
    return {
      status: Number(answerHead.slice(9, 12)),
      head: answerHead,
      body: rest.join('\r\n\r\n'),
    };
  });
}

async function expectRefused(head: string, reason: string): Promise<void> {
  const [answer, ...others] = await send(head);
  expect(others).toEqual([]);
  expect(answer?.head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(answer?.head).toContain('Content-Type: application/json');
  expect(answer?.head).toContain('X-Content-Type-Options: nosniff');
  expect(JSON.parse(answer?.body ?? '')).toMatchObject({ code: 400 });
  expect(world.logs.map((line) => JSON.parse(line) as object)).toMatchObject([
    { level: 30, msg: 'connection.refused', status: 400, reason },
  ]);
}

describe('a request', () => {
  test.each([
    ['has a user and a host that cannot be decoded', 'http://%E0%A4%A@fail/'],
    ['hides a host in its path', '//user@host/manifest.json#x'],
    ['hides a host that cannot be decoded in its path', '//%E0%A4%A@fail/a@b#x'],
    ['has a fragment', '/manifest.json#x'],
    ['has a port that is not a number', 'http://x:abc/manifest.json'],
    ['has a port that is too large', 'http://x:99999999/manifest.json'],
    ['is of another scheme', 'ftp://x/manifest.json'],
    ['asks for the whole server by GET', '*'],
  ])(
    'A16: whose target %s is answered 400 in JSON, and leaves one line without a stack',
    (_, target) => expectRefused(`GET ${target} HTTP/1.1\r\nHost: x`, 'target_invalid'),
  );

  test.each([
    ['no host', 'Accept: */*', 'host_missing'],
    ['two hosts', 'Host: x\r\nHost: y', 'host_invalid'],
    ['a host with a path', 'Host: x/@y', 'host_invalid'],
    ['a host with a blank', 'Host: x y', 'host_invalid'],
  ])('A16: with %s is answered 400 in JSON', (_, headers, reason) =>
    expectRefused(`GET /manifest.json HTTP/1.1\r\n${headers}`, reason),
  );

  test('A16: for a whole URL is one for its path', async () => {
    const close = 'Host: x\r\nConnection: close';
    const [manifest] = await send(
      `GET http://x:80/nowhere/../manifest.json?a#b HTTP/1.1\r\n${close}`,
    );
    const [bare] = await send(`GET HTTPS://x HTTP/1.1\r\n${close}`);

    expect(manifest?.status).toBe(200);
    expect(JSON.parse(manifest?.body ?? '')).toHaveProperty('apiAccess');
    expect(bare?.head).toContain('\r\nLocation: /admin/\r\n');
  });
});

describe.each([
  ['what is no HTTP', 'HELLO', 400, 'HPE_INVALID_METHOD'],
  ['a tunnel', 'CONNECT x:443 HTTP/1.1\r\nHost: x:443', 405, 'tunnel'],
])('behind a request, %s', (_, garbage, status, reason) => {
  const host = 'Host: x\r\n';

  test('A16: is answered once, after the answers before it', async () => {
    const pipelined = `GET /plugin/config.json HTTP/1.1\r\n${host}\r\n${garbage}`;
    const answers = await send(`GET /manifest.json HTTP/1.1\r\n${host}\r\n${pipelined}`);

    expect(answers.map((answer) => answer.status)).toEqual([200, 200, status]);
    const [manifest, config] = answers.map(({ body }) => JSON.parse(body) as object);
    expect(manifest).toHaveProperty('apiAccess');
    expect(config).toEqual({ keyOrigins: [world.platform.origin] });
    expect(world.infoLines()).toMatchObject([{ msg: 'connection.refused', status, reason }]);
  });

  test('A16: is not answered into a stream that has begun', async () => {
    const cookie = await world.signIn();
    const stream = `GET /admin/api/changes HTTP/1.1\r\n${host}Cookie: ${cookie}\r\n\r\n`;

    const text = await exchangeRaw(world, stream, ({ socket, text }) => {
      if (text.includes('event: position')) socket.write(`${garbage}\r\n\r\n`);
    });

    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
    expect(text).toMatch(/event: position\ndata: \{\}\n\n\r\n$/);
  });
});

test('A16: a malformed body is answered once, although its request was already handled', async () => {
  const head = 'POST /lifecycle/install HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked';
  const answers = await send(head, 'no chunk');

  expect(answers.map(({ status }) => status)).toEqual([400]);
});

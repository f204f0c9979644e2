/** Nonces that a page requests before its handshake: docs/decisions/0039-session-nonce.md. */
import { join } from 'node:path';
import { sessionNonceSchema } from '@dowel/schema';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ServerOptions } from '../server-options.ts';
import {
  installAt,
  openSessionAt,
  readSampleManifest,
  type ServerWorld,
  startServerWorld,
} from '../testing/server-world.ts';
import { startWorld } from '../testing/start-world.ts';

let world: ServerWorld;
let now: number;

beforeEach(async () => {
  world = await startServerWorld();
  now = Date.now();
});
afterEach(() => world[Symbol.asyncDispose]());

const askNonce = (url: string) => fetch(`${url}/api/session/nonce`, { method: 'POST' });

async function getNonce(url: string): Promise<string> {
  const answer = sessionNonceSchema.parse(await (await askNonce(url)).json());
  return answer.nonce;
}

async function start(options: Partial<ServerOptions> = {}): Promise<string> {
  const required = { sessions: { nonce: 'required' }, now: () => now } as const;
  const { url } = await world.create({ ...required, ...options }).start();
  return url;
}

const required = { status: 403, code: 'SESSION_NONCE_REQUIRED' };
const refusalReasons = () =>
  world.lines.flatMap(({ message, fields }) =>
    message === 'event.refused' ? [fields.reason] : [],
  );

describe('where nonces are required', () => {
  test('G02: an init JWT opens a session if its jti is a nonce of this back end, once', async () => {
    const url = await start();
    const { instanceId } = await installAt(world, url);
    const nonce = await getNonce(url);

    const opened = await openSessionAt(world, url, instanceId, nonce);
    const again = await openSessionAt(world, url, instanceId, nonce);

    expect(opened.status).toBe(201);
    expect(again).toMatchObject({ status: 403, code: 'SESSION_REFUSED' });
    expect(refusalReasons()).toEqual(['session_replay']);
  });

  test('G02: an init JWT with a jti of its own, or a changed nonce, opens none', async () => {
    const url = await start();
    const { instanceId } = await installAt(world, url);
    const nonce = await getNonce(url);
    const [random = '', end = '', ...mark] = nonce.split('.');

    for (const jti of [
      crypto.randomUUID(),
      'j',
      nonce.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A')),
      [random, Number(end) + 60_000, ...mark].join('.'),
      ['A'.repeat(22), end, ...mark].join('.'),
    ]) {
      expect(await openSessionAt(world, url, instanceId, jti)).toEqual(required);
    }
    expect(new Set(refusalReasons())).toEqual(new Set(['session_nonce_unknown']));
    expect((await openSessionAt(world, url, instanceId, nonce)).status).toBe(201);
  });

  test('G02: a nonce opens no session after two minutes', async () => {
    const url = await start();
    const { instanceId } = await installAt(world, url);
    const [one, other] = [await getNonce(url), await getNonce(url)];

    now += 119_999;
    const inTime = await openSessionAt(world, url, instanceId, one);
    now += 1;
    const late = await openSessionAt(world, url, instanceId, other);

    expect(inTime.status).toBe(201);
    expect(late).toEqual(required);
  });

  test('G02: a nonce of a back end with another key opens none', async () => {
    const url = await start();
    const { instanceId } = await installAt(world, url);
    const other = await start({ database: { path: join(world.folder, 'other', 'dowel.sqlite') } });

    const refused = await openSessionAt(world, url, instanceId, await getNonce(other));

    expect(refused).toEqual(required);
  });

  test('G02, S16: a nonce of another plug-in of the same server opens none', async () => {
    const manifest = await readSampleManifest();
    const url = await start({ plugins: { polls: { manifest }, lunch: { manifest } } });
    const { instanceId } = await installAt(world, `${url}/polls`);
    const open = async (plugin: string) =>
      openSessionAt(world, `${url}/polls`, instanceId, await getNonce(`${url}/${plugin}`));

    expect(await open('lunch')).toEqual(required);
    expect((await open('polls')).status).toBe(201);
  });

  test('every process of one store knows the nonces of all, and each opens one session', async () => {
    const [url, other] = [await start(), await start()];
    const { instanceId } = await installAt(world, url);
    const [nonce, ofOther, ofBoth] = [
      await getNonce(url),
      await getNonce(other),
      await getNonce(url),
    ];

    expect((await openSessionAt(world, other, instanceId, nonce)).status).toBe(201);
    expect((await openSessionAt(world, url, instanceId, ofOther)).status).toBe(201);
    const opened = await Promise.all(
      [other, url, other, url].map((each) => openSessionAt(world, each, instanceId, ofBoth)),
    );

    const statuses = opened.map(({ status }) => status);
    expect(statuses.toSorted((one, two) => one - two)).toEqual([201, 403, 403, 403]);
  });

  test('an init JWT that is not believed is refused for that reason, with or without a nonce as jti', async () => {
    const url = await start();
    const { instanceId } = await installAt(world, url);
    const { platform, userId } = world;
    const jti = await getNonce(url);
    const initJwt = `${await platform.createInitJwt({ userId, instanceId, jti })}x`;

    const refused = await fetch(`${url}/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ initJwt, instanceId }),
    });

    expect(await refused.json()).toMatchObject({ code: 'SESSION_REFUSED' });
  });
});

test('a nonce is optional by default: a page without one opens a session', async () => {
  const url = await start({ sessions: {} });
  const { instanceId } = await installAt(world, url);

  expect((await openSessionAt(world, url, instanceId)).status).toBe(201);
  expect((await openSessionAt(world, url, instanceId, await getNonce(url))).status).toBe(201);
});

test('an answer with a nonce contains its lifetime, and is not cached', async () => {
  const answer = await askNonce(await start());

  expect(answer.status).toBe(200);
  expect(await answer.json()).toEqual({ nonce: expect.any(String), expiresInMs: 120_000 });
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('set-cookie')).toBeNull();
});

test('the iframe’s opaque origin may ask for a nonce, without credentials', async () => {
  const url = await start();
  const headers = { origin: 'null', 'access-control-request-method': 'POST' };

  const preflight = await fetch(`${url}/api/session/nonce`, { method: 'OPTIONS', headers });
  const answer = await fetch(`${url}/api/session/nonce`, { method: 'POST', headers });

  expect(preflight.status).toBe(204);
  for (const each of [preflight, answer]) {
    expect(each.headers.get('access-control-allow-origin')).toBe('*');
    expect(each.headers.get('access-control-allow-credentials')).toBeNull();
  }
  expect((await fetch(`${url}/api/session/nonce`)).status).toBe(405);
});

test('I10: an address that asks for too many nonces waits, and the log says so', async () => {
  const limits = { noncesPerAddress: 2 };
  const sessions = { nonce: 'required' } as const;
  await using limited = await startWorld({ app: { limits, sessions, now: () => now } });
  const { url } = limited;

  const statuses = [];
  for (let count = 0; count < 3; count += 1) statuses.push((await askNonce(url)).status);
  const refused = await askNonce(url);

  expect(statuses).toEqual([200, 200, 429]);
  expect(await refused.json()).toMatchObject({ code: 'TOO_MANY_ATTEMPTS' });
  expect(refused.headers.get('retry-after')).toBe('60');
  expect(limited.logs.join()).toContain('"reason":"rate_limited"');
  now += 60_000;
  expect((await askNonce(url)).status).toBe(200);
});

test('a nonce rule that is none is named', () => {
  const create = () => world.create({ sessions: { nonce: 'always' } } as object);

  expect(create).toThrow('sessions.nonce must be "optional" or "required"');
});

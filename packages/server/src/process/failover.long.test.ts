/** Three processes on a PostgreSQL that fails over to its standby: what is called meanwhile, and what the log says. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  findPostgresBinaries,
  type PostgresPair,
  startPair,
} from '@dowel/installation-store/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createNotification } from '../operations/create-notification.ts';
import {
  installAt,
  openSessionAt,
  type ServerWorld,
  sessionTokenAt,
  startServerWorld,
} from '../testing/server-world.ts';

const binaries = findPostgresBinaries() ?? '';
const processes = 3;
/** About as long as a failover by Patroni takes. */
const outageMs = 18_000;
/** The calls of this test are more than one user makes. */
const limits = { notificationsPerUser: 100_000, notificationsPerSession: 100_000 };

interface Served {
  url: string;
  notify(): Promise<void>;
}

type Started = Awaited<ReturnType<typeof startProcesses>>;

async function startProcesses(world: ServerWorld, pair: PostgresPair) {
  const [living, expired] = world.platform.tenants.map((tenant) => ({
    ...world,
    tenantId: tenant.tenantId,
    userId: tenant.users[0]?.userId ?? '',
  }));
  if (!living || !expired) throw new Error('Two tenants are needed');
  const keyFile = { path: join(world.folder, 'encryption.key') };
  const servers = Array.from({ length: processes }, () =>
    world.create({
      database: { url: pair.url },
      keyFile,
      operations: { createNotification },
      limits,
    }),
  );
  const urls: string[] = [];
  for (const server of servers) urls.push((await server.start()).url);
  const [url = ''] = urls;
  const placed = [await installAt(living, url), await installAt(expired, url)];
  const [page, stale] = placed;
  if (!page || !stale) throw new Error('Nothing was installed');
  const session = await sessionTokenAt(living, url, page.instanceId);
  const message = { recipientId: living.userId, message: 'Lunch?' };
  const served: Served[] = [];
  for (const [index, server] of servers.entries()) {
    for await (const installation of server.installations.list()) {
      const isLiving = installation.tenantId === living.tenantId;
      const { instanceId } = isLiving ? page : stale;
      const recipientId = isLiving ? living.userId : expired.userId;
      const notify = () => server.notify({ installation, instanceId }, { ...message, recipientId });
      await notify();
      if (isLiving) served.push({ url: urls[index] ?? '', notify });
      else served.unshift({ url: urls[index] ?? '', notify });
    }
  }
  const ofExpired = served.slice(0, processes);
  const ofLiving = served.slice(processes);
  return { living, expired, page, stale, session, message, ofExpired, ofLiving };
}

/** Posts an event of a tenant that nobody knows. */
async function postInstall({ platform, issuer, tenantId }: ServerWorld, url: string) {
  const iat = Math.floor(Date.now() / 1_000);
  const claims = { iss: issuer, sub: 'install', iat, exp: iat + 60, tenantId };
  const body = await platform.sign({ ...claims, pluginId: crypto.randomUUID() });
  const headers = { 'content-type': 'application/jwt' };
  return (await fetch(`${url}/lifecycle/install`, { method: 'POST', headers, body })).status;
}

async function callFromPage(url: string, session: string, message: object) {
  const answer = await fetch(`${url}/api/createNotification`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${session}` },
    body: JSON.stringify(message),
  });
  return answer.status;
}

async function readState(url: string) {
  const answer = await fetch(`${url}/readyz`);
  return { status: answer.status, ...((await answer.json()) as object) };
}

const count = <Value>(values: readonly Value[]) =>
  Object.fromEntries([...Map.groupBy(values, String)].map(([value, same]) => [value, same.length]));

const kinds = ['pages', 'pushes', 'expired', 'events', 'sessions'] as const;
type Calls = Record<(typeof kinds)[number], Promise<unknown>[]>;

/** Calls all processes in turn until the fault has ended. */
async function callAlong(
  { living, page, session, message, ofExpired, ofLiving }: Started,
  fault: Promise<void>,
) {
  const calls: Calls = { pages: [], pushes: [], expired: [], events: [], sessions: [] };
  const states: unknown[] = [];
  let isOver = false;
  void fault.then(() => {
    isOver = true;
  });
  for (let index = 0; !isOver; index += 1) {
    const { url, notify } = ofLiving[index % processes] as Served;
    const { notify: notifyExpired } = ofExpired[index % processes] as Served;
    calls.pages.push(callFromPage(url, session, message));
    calls.pushes.push(outcomeOf(notify()));
    if (index % 4 === 0) {
      calls.expired.push(outcomeOf(notifyExpired()));
      calls.events.push(postInstall(living, url));
    }
    if (index % 40 === 20) {
      calls.sessions.push(openSessionAt(living, url, page.instanceId).then(({ status }) => status));
      states.push(await readState(url));
    }
    await sleep(50);
  }
  return { calls, states };
}

const outcomeOf = (sent: Promise<void>) =>
  sent.then(
    () => 'sent',
    (error: { code?: string }) => error.code,
  );

/** How often each answer came, by kind of call. */
async function countAnswers(calls: Calls) {
  const counted = kinds.map(async (kind) => [kind, count(await Promise.all(calls[kind]))]);
  return Object.fromEntries(await Promise.all(counted));
}

const wanted = { pages: 200, pushes: 'sent', expired: 'sent', events: 201, sessions: 201 };

/** The same, if no call fails. */
function allAnswered(calls: Calls) {
  const counted = kinds.map((kind) => [kind, count(calls[kind].map(() => wanted[kind]))]);
  return Object.fromEntries(counted);
}

async function startFault() {
  const pair = await startPair(binaries, onTestFinished);
  const world = await startServerWorld();
  onTestFinished(() => world[Symbol.asyncDispose]());
  const started = await startProcesses(world, pair);
  const { expired, stale, ofLiving, session, message } = started;
  for (const { url } of ofLiving) expect(await callFromPage(url, session, message)).toBe(200);
  const { tenantId } = expired;
  world.platform.revoke({ tenantId, pluginId: stale.pluginId, what: 'accessTokens' });
  const linesBefore = world.lines.length;
  const countLoud = () => {
    const lines = world.lines.slice(linesBefore);
    const loud = lines.filter(({ level }) => level === 'error' || level === 'warn');
    return count(loud.map((line) => line.message));
  };
  return { pair, started, countLoud };
}

/** Also that nothing is loud but the loss of the database. Returns what `/readyz` said meanwhile. */
async function expectNoFailedCall(fail: (pair: PostgresPair) => Promise<void>) {
  const { pair, started, countLoud } = await startFault();
  const { calls, states } = await callAlong(started, fail(pair));

  expect(await countAnswers(calls)).toEqual(allAnswered(calls));
  const { 'database.unavailable': lost = 0, ...other } = countLoud();
  expect(lost).toBeLessThanOrEqual(processes);
  expect(other).toEqual({});
  return states;
}

describe.skipIf(!binaries)('three processes', () => {
  test.each<[string, (pair: PostgresPair) => Promise<void>]>([
    [
      'whose primary is killed',
      async (pair) => {
        await pair.kill();
        await sleep(outageMs);
        await pair.promote();
      },
    ],
    [
      'whose primary freezes',
      async (pair) => {
        pair.network.freeze();
        await sleep(outageMs);
        await pair.promote();
      },
    ],
  ])('%s fail no call: what needs the database waits', async (_fault, fail) => {
    const states = await expectNoFailedCall(fail);

    const degraded = { isReady: true, state: 'degraded', reason: 'database_unavailable' };
    expect(states.at(-1)).toEqual({ status: 200, ...degraded });
  });

  test('whose PostgreSQL is restarted fail no call', async () => {
    await expectNoFailedCall((pair) => pair.restart());
  });

  test('whose PostgreSQL takes no writes serve living calls, and refuse events in JSON', async () => {
    const { pair, started } = await startFault();

    const { calls, states } = await callAlong(
      started,
      (async () => {
        await pair.setReadOnly(true);
        await sleep(8_000);
        await pair.setReadOnly(false);
      })(),
    );

    const { pages, pushes, events } = await countAnswers(calls);
    expect({ pages, pushes }).toEqual({
      pages: { 200: calls.pages.length },
      pushes: { sent: calls.pushes.length },
    });
    expect(Object.keys(events).toSorted()).toEqual(['201', '503']);
    const degraded = { isReady: true, state: 'degraded', reason: 'database_takes_no_writes' };
    expect(states.at(-1)).toEqual({ status: 200, ...degraded });
  });
});

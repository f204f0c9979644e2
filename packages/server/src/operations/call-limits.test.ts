import { afterEach, expect, test } from 'vitest';
import * as z from 'zod';
import {
  installAt,
  readSampleManifest,
  sessionTokenAt,
  startServerWorld,
} from '../testing/server-world.ts';
import { startWorld, type World } from '../testing/start-world.ts';
import { type CallLimits, createCallGate, takePlace } from './call-limits.ts';
import { defineOperation } from './define-operation.ts';
import { readOperations } from './operation-table.ts';

const limits = { perUserPerMinute: 2, perTenantPerMinute: 3, perProcessPerMinute: 5 };
let world: World | undefined;

afterEach(async () => {
  await world?.[Symbol.asyncDispose]();
  world = undefined;
});

function createGate(given: CallLimits = limits) {
  const clock = { ms: 0 };
  const gate = createCallGate(() => clock.ms);
  return {
    clock,
    take: (installationId: string, userId: string, operation = 'notify') =>
      takePlace(gate, { operation, installationId, userId, sessionId: userId }, given),
    takeIn: (sessionId: string) =>
      takePlace(
        gate,
        { operation: 'notify', installationId: 'a', userId: '1', sessionId },
        { ...limits, perSessionPerMinute: 1 },
      ),
  };
}

test('H12: one user gets a minute’s notifications at once, and then one when it is due', () => {
  const { clock, take } = createGate();
  expect([take('a', '1'), take('a', '1'), take('a', '1')]).toEqual([undefined, undefined, 30_000]);

  clock.ms += 29_999;
  expect(take('a', '1')).toBe(1);
  clock.ms += 1;
  expect([take('a', '1'), take('a', '1')]).toEqual([undefined, 30_000]);
});

test('H12: users of a tenant share its limit, and a refused call takes nothing', () => {
  const { clock, take } = createGate();
  take('a', '1');
  take('a', '1');
  take('a', '2');
  expect([take('a', '2'), take('a', '3')]).toEqual([20_000, 20_000]);
  expect([take('b', '2'), take('b', '2')]).toEqual([undefined, undefined]);

  clock.ms += 60_000;
  expect([take('a', '2'), take('a', '2'), take('a', '3')]).toEqual(Array(3).fill(undefined));
});

test('H12: a session has a limit below that of its user, who can go on in another one', () => {
  const { clock, takeIn } = createGate();
  expect([takeIn('one'), takeIn('one')]).toEqual([undefined, 60_000]);
  expect([takeIn('other'), takeIn('third')]).toEqual([undefined, 30_000]);

  clock.ms += 60_000;
  expect(takeIn('one')).toBeUndefined();
});

test('H12: calls of one operation take no place of another', () => {
  const { take } = createGate();
  expect([take('a', '1'), take('a', '1'), take('a', '1', 'vote')]).toEqual(
    Array(3).fill(undefined),
  );
});

test('H12: tenants share the limit of the process', () => {
  const { take } = createGate();
  for (const tenant of ['a', 'b', 'c', 'd', 'e']) expect(take(tenant, '1')).toBeUndefined();

  expect(take('f', '1')).toBe(12_000);
});

test('H12: an operation may have a limit for all tenants together', () => {
  const limit = { perUserPerMinute: 9, perProcessPerMinute: 2 };
  const empty = { input: z.object({}), output: z.object({}) };
  const vote = defineOperation({ ...empty, limit, run: () => ({}) });
  const [found] = readOperations({ vote }, { requestedScopes: [] }).values();
  const { take } = createGate(found?.limits);

  expect([take('a', '1'), take('b', '1')]).toEqual([undefined, undefined]);
  expect(take('c', '1')).toBe(30_000);
});

test('H12: operations of the same name in two plug-ins have a limit each', async () => {
  await using servers = await startServerWorld();
  const limit = { perProcessPerMinute: 1 };
  const empty = { input: z.object({}), output: z.object({}) };
  const plugin = () => ({
    operations: { vote: defineOperation({ ...empty, limit, run: () => ({}) }) },
  });
  const manifest = await readSampleManifest();
  const { url } = await servers
    .create({ plugins: { polls: { manifest, ...plugin() }, lunch: { manifest, ...plugin() } } })
    .start();
  const statuses: number[] = [];
  for (const name of ['polls', 'lunch']) {
    const { instanceId } = await installAt(servers, `${url}/${name}`);
    const sessionToken = await sessionTokenAt(servers, `${url}/${name}`, instanceId);
    const vote = () =>
      fetch(`${url}/${name}/api/vote`, {
        method: 'POST',
        headers: { authorization: `Bearer ${sessionToken}`, 'content-type': 'application/json' },
        body: '{}',
      });
    statuses.push((await vote()).status, (await vote()).status);
  }

  expect(statuses).toEqual([200, 429, 200, 429]);
});

test('H12: a user who sends too many notifications gets 429 with Retry-After, also in another session', async () => {
  world = await startWorld({
    app: {
      limits: { notificationsPerUser: 3 },
    },
  });
  const { instanceId } = await world.install();
  const sessions = [await world.openSession(instanceId), await world.openSession(instanceId)];

  const answers: Response[] = [];
  for (let count = 0; count < 5; count += 1) {
    answers.push(await world.notify(sessions[count % 2] ?? '', `Lunch ${count}?`));
  }

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429]);
  expect(await answers[3]?.json()).toMatchObject({ code: 'RATE_LIMITED' });
  expect(Number(answers[3]?.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('H12: a page that sends too many notifications gets 429, and another page of its user goes on', async () => {
  world = await startWorld({
    app: { limits: { notificationsPerSession: 2, notificationsPerUser: 3 } },
  });
  const { instanceId } = await world.install();
  const [page, other] = [await world.openSession(instanceId), await world.openSession(instanceId)];

  const statuses: number[] = [];
  for (const session of [page, page, page, other, other]) {
    statuses.push((await world.notify(session, 'Lunch?')).status);
  }

  expect(statuses).toEqual([200, 200, 429, 200, 429]);
});

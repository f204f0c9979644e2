/**
 * All orders of an installation's events, on both databases, one after the other and all at once in two
 * processes, against the written model of testing/expected-outcome.ts. `npm test` tries one order in sixteen,
 * `npm run test:all` each of them, in one way. `DOWEL_ORDER_ROUNDS=10` runs each order with ten different
 * sets of copies, in every way.
 */
import { randomUUID } from 'node:crypto';
import { env } from 'node:process';
import { testDatabases } from '@dowel/installation-store/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EventAnswer } from './event-answer.ts';
import { expectOutcome } from './testing/expected-outcome.ts';
import {
  createHistories,
  type Delivery,
  type OrderedHistory,
  timelineNames,
} from './testing/histories.ts';
import { type OrderWorld, startOrderWorld } from './testing/order-world.ts';

const rounds = Number(env.DOWEL_ORDER_ROUNDS ?? 0);
/** Installations that run at the same time. */
const atOnce = 16;

/** An order is tried in one of four ways: on a database, and in turn or at once. */
const ways = 4;
const share = env.DOWEL_TESTS === 'all' ? ways : 16 * ways;

/** Every order without copies or with some; by default those of one way. */
function choose(timeline: string, way: number): OrderedHistory[] {
  if (rounds === 0) {
    const plain = createHistories(timeline, 'none', 1).filter((_, index) => index % share === way);
    const copied = createHistories(timeline, 'some', 1).filter(
      (_, index) => index % (3 * share) === way,
    );
    return [...plain, ...copied];
  }
  const seeds = Array.from({ length: rounds }, (_, index) => index + 1);
  const copied = seeds.flatMap((seed) => createHistories(timeline, 'some', seed));
  return [...createHistories(timeline, 'none', 1), ...copied];
}

async function runAll(
  histories: readonly OrderedHistory[],
  run: (history: OrderedHistory, tenantId: string) => Promise<void>,
): Promise<void> {
  const waiting = [...histories];
  async function work(): Promise<void> {
    for (let next = waiting.pop(); next; next = waiting.pop()) await run(next, randomUUID());
  }
  await Promise.all(Array.from({ length: atOnce }, work));
}

const nameOf = ({ jti, code, instanceId }: Delivery) =>
  [jti, code ?? instanceId ?? []].flat().join(' ');
/** True for an event other than an uninstall, if an uninstall that was signed later has arrived. */
const isOvertaken = ({ name, iat }: Delivery, sent: readonly Delivery[]) =>
  name !== 'uninstall' && sent.some((each) => each.name === 'uninstall' && each.iat > iat);

/** A refused addition places nothing. Every other event counts. */
const isCounted = ({ name }: Delivery, { status }: EventAnswer) =>
  status === 201 || (status === 400 && name !== 'instance_add');
const isToBeSentAgain = ({ retryAfterSeconds }: EventAnswer) => retryAfterSeconds !== undefined;
const namesOf = (deliveries: readonly Delivery[]) => deliveries.map(nameOf).join(' → ');

for (const { name, isAvailable, create } of testDatabases) {
  describe.skipIf(!isAvailable)(`events in any order on ${name}`, () => {
    let world: OrderWorld;

    beforeAll(async () => {
      world = await startOrderWorld(await create());
    });
    afterAll(() => world.stop());

    /** @param sent the events that may have arrived by then, with any answer. */
    function expectSensible(
      delivery: Delivery,
      { status, reason }: EventAnswer,
      { sent, refusedCodes }: { sent: readonly Delivery[] } & Pick<OrderedHistory, 'refusedCodes'>,
    ) {
      const story = `${namesOf(sent)}: the answer to ${nameOf(delivery)}`;
      const { name, code } = delivery;
      const signedFirst = Math.min(
        ...sent.filter((each) => code && each.code === code).map(({ iat }) => iat),
        delivery.iat,
      );
      const isOfEndedLife = sent.some(
        (each) => each.name === 'uninstall' && each.iat >= signedFirst,
      );
      const sensible = ['201 null'];
      if (code !== undefined) sensible.push('201 superseded');
      if (code !== undefined && refusedCodes.has(code)) sensible.push('400 exchange_rejected');
      if (isOfEndedLife && name !== 'uninstall') sensible.push('400 after_uninstall');
      expect(sensible, story).toContain(`${status} ${reason}`);
    }

    function expectExchangedOnce({ deliveries }: OrderedHistory, tenantId: string, story: string) {
      for (const { code } of deliveries) {
        if (code === undefined) continue;
        expect(world.exchangesOf(tenantId, code), `${story}: exchanges of ${code}`).toBeLessThan(2);
      }
    }

    /**
     * After each event, the installation must match the model, unless an event must be sent again. Those are
     * sent at the end.
     */
    async function runInTurn(history: OrderedHistory, tenantId: string): Promise<void> {
      const { refusedCodes } = history;
      world.prepare(tenantId, history);
      const sent: Delivery[] = [];
      const counted: Delivery[] = [];
      const postponed: Delivery[] = [];
      const waiting = [...history.deliveries];

      for (let delivery = waiting.shift(); delivery; delivery = waiting.shift()) {
        const { code } = delivery;
        const before = code === undefined ? 0 : world.exchangesOf(tenantId, code);
        const isEnded = isOvertaken(delivery, sent);
        const answer = await world.deliver(tenantId, delivery, sent.length);
        sent.push(delivery);
        if (isToBeSentAgain(answer)) postponed.push(delivery);
        else expectSensible(delivery, answer, { sent, refusedCodes });
        if (isCounted(delivery, answer)) counted.push(delivery);
        if (waiting.length === 0) waiting.push(...postponed.splice(0));

        const story = namesOf(sent);
        const found = await world.look(tenantId);
        if (postponed.length === 0 && waiting.every((each) => !sent.includes(each))) {
          expect(found, story).toEqual(expectOutcome(counted, refusedCodes));
        }
        if (isEnded) {
          expect(answer, story).toMatchObject({ status: 400, reason: 'after_uninstall' });
          expect(code === undefined ? 0 : world.exchangesOf(tenantId, code), story).toBe(before);
        }
        if (code !== undefined && answer.status === 201) expect(found.code, story).not.toBeNull();
      }
      expectExchangedOnce(history, tenantId, namesOf(sent));
    }

    /** Sends all at once to two processes, and then once more, like a platform that repeats its events. */
    async function runAtOnce(history: OrderedHistory, tenantId: string): Promise<void> {
      const { deliveries, refusedCodes } = history;
      world.prepare(tenantId, history);
      const story = namesOf(deliveries);
      const answers = await Promise.all(
        deliveries.map((delivery, index) => world.deliverAgain(tenantId, delivery, index)),
      );
      const counted: Delivery[] = [];
      for (const [index, answer] of answers.entries()) {
        const delivery = deliveries[index] as Delivery;
        const isEarly = delivery.instanceId !== undefined && isToBeSentAgain(answer);
        if (!isEarly) expectSensible(delivery, answer, { sent: deliveries, refusedCodes });
        if (isCounted(delivery, answer)) counted.push(delivery);
      }
      expect(await world.look(tenantId), story).toEqual(expectOutcome(counted, refusedCodes));

      for (const delivery of deliveries) {
        const answer = await world.deliverAgain(tenantId, delivery, 0);
        if (isCounted(delivery, answer)) counted.push(delivery);
      }
      const repeated = expectOutcome(counted, refusedCodes);
      expect(await world.look(tenantId), `${story}, repeated`).toEqual(repeated);
      expectExchangedOnce(history, tenantId, story);
    }

    const firstWay = name === 'SQLite' ? 0 : 2;

    test.each(timelineNames)('one after the other: %s', async (timeline) => {
      await runAll(choose(timeline, firstWay), runInTurn);
    });

    test.each(timelineNames)('all at once in two processes: %s', async (timeline) => {
      await runAll(choose(timeline, firstWay + 1), runAtOnce);
    });
  });
}

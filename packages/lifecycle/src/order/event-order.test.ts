/**
 * All orders of an installation's events, on both databases, one after the other and all at once in two
 * processes, against the written model of expected-outcome.ts. `DOWEL_ORDER_ROUNDS=10` runs each order
 * with ten different sets of copies, in every way; the default is a part of the first round.
 */
import { randomUUID } from 'node:crypto';
import { env } from 'node:process';
import { testDatabases } from '@dowel/installation-store/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EventAnswer } from '../event-answer.ts';
import { expectOutcome } from './expected-outcome.ts';
import { createHistories, type Delivery, type OrderedHistory, timelineNames } from './histories.ts';
import { type OrderWorld, startOrderWorld } from './order-world.ts';

const rounds = Number(env.DOWEL_ORDER_ROUNDS ?? 0);
/** Installations that are under way together. */
const atOnce = 16;

/** Every order without copies or with some; by default each in one of four places. */
function choose(timeline: string, place: number): OrderedHistory[] {
  if (rounds === 0) {
    const plain = createHistories(timeline, 'none', 1).filter((_, index) => index % 4 === place);
    const copied = createHistories(timeline, 'some', 1).filter((_, index) => index % 12 === place);
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

const nameOf = ({ jti, code }: Delivery) => (code === undefined ? jti : `${jti} ${code}`);
const namesOf = (deliveries: readonly Delivery[]) => deliveries.map(nameOf).join(' → ');

describe.each(testDatabases)('events in any order on $name', ({ name, isAvailable, create }) => {
  describe.skipIf(!isAvailable)('', () => {
    let world: OrderWorld;

    beforeAll(async () => {
      world = await startOrderWorld(await create());
    });
    afterAll(() => world.stop());

    function expectSensible(delivery: Delivery, { status, reason }: EventAnswer, story: string) {
      if (delivery.name === 'uninstall') expect(status, story).toBe(201);
      const sensible = ['201 null', '201 superseded', '400 after_uninstall'];
      if (delivery.code !== undefined) sensible.push('400 exchange_rejected');
      expect(sensible, story).toContain(`${status} ${reason}`);
    }

    function expectExchangedOnce({ deliveries }: OrderedHistory, tenantId: string, story: string) {
      for (const { code } of deliveries) {
        if (code === undefined) continue;
        expect(world.exchangesOf(tenantId, code), `${story}: exchanges of ${code}`).toBeLessThan(2);
      }
    }

    /** After each event, the installation is as the model says. */
    async function runInTurn(history: OrderedHistory, tenantId: string): Promise<void> {
      for (const code of history.refusedCodes) world.refuse(tenantId, code);
      const arrived: Delivery[] = [];
      for (const [index, delivery] of history.deliveries.entries()) {
        const { code } = delivery;
        const before = code === undefined ? 0 : world.exchangesOf(tenantId, code);
        const isEnded = arrived.some(
          (each) => each.name === 'uninstall' && each.iat > delivery.iat,
        );
        const answer = await world.deliver(tenantId, delivery, index);
        arrived.push(delivery);
        const story = namesOf(arrived);

        expectSensible(delivery, answer, story);
        const found = await world.look(tenantId);
        expect(found, story).toEqual(expectOutcome(arrived, history.refusedCodes));
        if (isEnded && delivery.name !== 'uninstall') {
          expect(answer, story).toMatchObject({ status: 400, reason: 'after_uninstall' });
          expect(code === undefined ? 0 : world.exchangesOf(tenantId, code), story).toBe(before);
        }
        if (code !== undefined && answer.status === 201) expect(found.code, story).not.toBeNull();
      }
      expectExchangedOnce(history, tenantId, namesOf(arrived));
    }

    /** All at once, in two processes; and then once more, as a platform repeats what it has sent. */
    async function runAtOnce(history: OrderedHistory, tenantId: string): Promise<void> {
      const { deliveries } = history;
      const refused = new Set(history.refusedCodes);
      for (const code of refused) world.refuse(tenantId, code);
      const story = namesOf(deliveries);
      const answers = await Promise.all(
        deliveries.map((delivery, index) => world.deliver(tenantId, delivery, index)),
      );
      for (const [index, answer] of answers.entries()) {
        const delivery = deliveries[index] as Delivery;
        expectSensible(delivery, answer, story);
        // An uninstall ended the life while its code was exchanged: the platform knows that it failed.
        if (delivery.code !== undefined && answer.status === 400) refused.add(delivery.code);
      }
      const expected = expectOutcome(deliveries, refused);
      expect(await world.look(tenantId), story).toEqual(expected);

      for (const delivery of deliveries) await world.deliver(tenantId, delivery, 0);
      expect(await world.look(tenantId), `${story}, repeated`).toEqual(expected);
      expectExchangedOnce(history, tenantId, story);
    }

    const place = name === 'SQLite' ? 0 : 2;

    test.each(timelineNames)('one after the other: %s', async (timeline) => {
      await runAll(choose(timeline, place), runInTurn);
    });

    test.each(timelineNames)('all at once in two processes: %s', async (timeline) => {
      await runAll(choose(timeline, place + 1), runAtOnce);
    });
  });
});

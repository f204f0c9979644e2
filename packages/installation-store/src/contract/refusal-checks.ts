/** Refusals, counted by several processes. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { NewRefusal, RefusalCount } from '../stores/refusal-store.ts';
import { check } from './check.ts';

const hour = 3_600_000;
/** Each check has its own days. */
const day = (number: number) => number * 24 * hour;

const counted = (changes: Partial<RefusalCount> & { hourAt: number }): RefusalCount => ({
  reason: 'signature_invalid',
  count: 1,
  firstAt: changes.hourAt + 10,
  lastAt: changes.hourAt + 20,
  ...changes,
});

const refused = (at: number, reason = 'signature_invalid'): NewRefusal => ({
  id: randomUUID(),
  at,
  reason,
  kind: 'event',
  issuer: 'acme.example.com',
  sender: '192.0.2.7',
  plugin: '',
});

export const refusalChecks = [
  check('refusals that two processes counted add up, with their first and last time', async (c) => {
    const hourAt = day(1_100);
    await c.store.refusals.add([counted({ hourAt: hourAt - hour, count: 9 })], []);
    await c.store.refusals.add([counted({ hourAt, count: 2, firstAt: hourAt + 5 })], []);
    await c.other.refusals.add(
      [
        counted({ hourAt, count: 3, lastAt: hourAt + 99 }),
        counted({ hourAt: hourAt + hour, reason: 'expired' }),
      ],
      [],
    );

    const { reasons } = await c.store.reports.reportRefusals(hourAt);

    assert.deepEqual(
      reasons.map((each) => ({ ...each })),
      [
        { reason: 'signature_invalid', count: 5, firstAt: hourAt + 5, lastAt: hourAt + 99 },
        { reason: 'expired', count: 1, firstAt: hourAt + hour + 10, lastAt: hourAt + hour + 20 },
      ],
    );
  }),

  check('processes that count the same reasons at once wait for no deadlock', async (c) => {
    const hourAt = day(1_200);
    const all = Array.from({ length: 50 }, (_, index) =>
      counted({ hourAt, reason: `reason_${index}` }),
    );

    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        (index % 2 ? c.store : c.other).refusals.add(index % 2 ? all : all.toReversed(), []),
      ),
    );

    const { reasons } = await c.store.reports.reportRefusals(hourAt);
    assert.deepEqual(new Set(reasons.map(({ count }) => count)), new Set([10]));
    assert.equal(reasons.length, 50);
  }),

  check('the newest ten refusals of a reason are kept, however many another one has', async (c) => {
    const at = day(1_300);
    const rare = refused(at, 'expired');
    const many = Array.from({ length: 30 }, (_, index) => refused(at + index, 'bad_token_format'));
    await c.store.refusals.add([], [rare, ...many.slice(0, 20)]);
    await c.other.refusals.add([], many.slice(15));

    const { last } = await c.store.reports.reportRefusals(at);

    const { id: _, ...shown } = rare;
    assert.deepEqual(
      last.filter(({ reason }) => reason === 'expired').map((each) => ({ ...each })),
      [shown],
    );
    assert.deepEqual(
      last.filter(({ reason }) => reason === 'bad_token_format').map((each) => each.at),
      many
        .slice(20)
        .toReversed()
        .map((each) => each.at),
    );
  }),
];

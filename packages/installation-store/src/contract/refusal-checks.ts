/** Refusals, counted by several processes. */
import assert from 'node:assert/strict';
import { refusalBucketMs } from '@dowel/schema';
import type { RefusalCount } from '../refusal-store.ts';
import { check } from './check.ts';

/** Each check has its own day. */
const day = (number: number) => number * 24 * 3_600_000;

const counted = (changes: Partial<RefusalCount> & { bucketAt: number }): RefusalCount => ({
  reason: 'signature_invalid',
  kind: 'event',
  issuer: 'acme.example.com',
  sender: '192.0.2.7',
  plugin: '',
  count: 1,
  firstAt: changes.bucketAt + 10,
  lastAt: changes.bucketAt + 20,
  ...changes,
});

export const refusalChecks = [
  check('refusals that two processes counted add up, with their first and last time', async (c) => {
    const bucketAt = day(100);
    const first = counted({ bucketAt, count: 2, firstAt: bucketAt + 5 });
    await c.store.refusals.add([first]);
    await c.other.refusals.add([
      counted({ bucketAt, count: 3, lastAt: bucketAt + 99 }),
      counted({ bucketAt, reason: 'expired', kind: 'session', sender: '192.0.2.0/24' }),
    ]);

    const span = { from: bucketAt, to: bucketAt + refusalBucketMs, barMs: refusalBucketMs };
    const { groups, reasons, hasMore } = await c.store.reports.reportRefusals(span);

    const { bucketAt: _, ...group } = { ...first, count: 5, lastAt: bucketAt + 99 };
    assert.deepEqual({ ...groups[0] }, group);
    assert.equal(groups.length, 2);
    assert.equal(hasMore, false);
    assert.deepEqual(reasons, [
      { reason: 'signature_invalid', total: 5, counts: [5] },
      { reason: 'expired', total: 1, counts: [1] },
    ]);
  }),

  check('processes that count the same groups at once wait for no deadlock', async (c) => {
    const bucketAt = day(200);
    const issuers = Array.from({ length: 50 }, (_, index) => `tenant-${index}.example.com`);
    const all = issuers.map((issuer) => counted({ bucketAt, issuer }));

    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        (index % 2 ? c.store : c.other).refusals.add(index % 2 ? all : all.toReversed()),
      ),
    );

    const span = { from: bucketAt, to: bucketAt + refusalBucketMs, barMs: refusalBucketMs };
    const { groups } = await c.store.reports.reportRefusals(span);
    assert.deepEqual(new Set(groups.map(({ count }) => count)), new Set([10]));
    assert.equal(groups.length, 50);
  }),

  check('a report has whole bars, only what is in its span, and a hundred groups', async (c) => {
    const from = day(300);
    const barMs = 3 * refusalBucketMs;
    const at = (bucket: number) => from + bucket * refusalBucketMs;
    await c.store.refusals.add([
      ...[-1, 0, 2, 3, 9, 30].map((bucket) => counted({ bucketAt: at(bucket), count: 7 })),
      ...Array.from({ length: 100 }, (_, index) =>
        counted({ bucketAt: at(9), issuer: `tenant-${index}.example.com` }),
      ),
    ]);

    const report = await c.store.reports.reportRefusals({ from, to: from + 10 * barMs, barMs });

    assert.deepEqual(report.reasons, [
      { reason: 'signature_invalid', total: 128, counts: [14, 7, 0, 107, 0, 0, 0, 0, 0, 0] },
    ]);
    assert.equal(report.groups.length, 100);
    assert.equal(report.groups[0]?.count, 28);
    assert.equal(report.hasMore, true);
    await c.store.refusals.add([]);
    const later = { from: from + day(1), to: from + day(2), barMs };
    assert.deepEqual(await c.store.reports.reportRefusals(later), {
      reasons: [],
      groups: [],
      hasMore: false,
    });
  }),
];

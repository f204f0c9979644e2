/** The cost of a flood of refusals is limited: rows I11 and I12 of docs/threats.md. */
import type { Timer } from '@dowel/http';
import { createHeldTimer } from '@dowel/http/testing';
import type { RefusalCount, RefusalStore, Store } from '@dowel/installation-store';
import { sqlite, type TestDatabase } from '@dowel/installation-store/testing';
import { refusalBucketMs } from '@dowel/schema';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  createRefusalTally,
  drainRefusals,
  type RefusalTally,
  type TurnedAway,
  tallyRefusal,
  writeRefusals,
} from './refusal-tally.ts';

const startedAt = Date.UTC(2026, 10, 22, 3);

let database: TestDatabase;
let store: Store;
let now: number;
let lines: [object, string][];

beforeEach(async () => {
  database = await sqlite.create();
  store = await database.open();
  now = startedAt;
  lines = [];
});

afterEach(() => database.destroy());

const logger = {
  warn(...[fields, name]: [object | string, string?]) {
    lines.push([fields as object, name ?? '']);
  },
};

const createTally = (refusals: RefusalStore = store.refusals, timer?: Timer): RefusalTally =>
  createRefusalTally({ store: { refusals }, logger, now: () => now, ...(timer && { timer }) });

const forged = (changes: Partial<TurnedAway> = {}): TurnedAway => ({
  reason: 'signature_invalid',
  kind: 'event',
  issuer: 'acme.example.com',
  sender: '192.0.2.7',
  plugin: '',
  ...changes,
});

function tallyMany(tally: RefusalTally, count: number, of: (index: number) => TurnedAway): void {
  for (let index = 0; index < count; index += 1) tallyRefusal(tally, of(index));
}

const report = () =>
  store.reports.reportRefusals({
    from: startedAt,
    to: startedAt + 12 * refusalBucketMs,
    barMs: refusalBucketMs,
  });

async function countRows(): Promise<number> {
  const [row] = await database.execute('select count(*) as n from refusals');
  return Number(row?.n);
}

describe('refusals', () => {
  test('of one group are one row, with their first and last time', async () => {
    const tally = createTally();
    tallyRefusal(tally, forged());
    now += 1_500;
    tallyRefusal(tally, forged());
    await writeRefusals(tally);
    now += 2_000;
    tallyRefusal(tally, forged());
    await drainRefusals(tally);

    const { groups, reasons } = await report();

    expect(groups).toEqual([
      { ...forged(), count: 3, firstAt: startedAt, lastAt: startedAt + 3_500 },
    ]);
    expect(reasons[0]?.counts.slice(0, 2)).toEqual([3, 0]);
  });

  test('I11: a hundred thousand with issuers and addresses at random are 201 rows, and each is counted', async () => {
    const tally = createTally();
    tallyMany(tally, 100_000, (index) =>
      forged({ issuer: `${crypto.randomUUID()}.example`, sender: `10.0.${index % 250}.1` }),
    );

    await drainRefusals(tally);

    const { groups, reasons } = await report();
    expect(reasons).toMatchObject([{ reason: 'signature_invalid', total: 100_000 }]);
    expect(await countRows()).toBe(201);
    expect(groups[0]).toMatchObject({ issuer: '*', sender: '*' });
    expect(lines).toEqual([]);
  });

  test('I11: an address that names ever other issuers has eleven groups, and the next one has its own', async () => {
    const tally = createTally();
    tallyMany(tally, 5_000, (index) => forged({ issuer: `tenant-${index}.example.com` }));
    tallyRefusal(tally, forged({ sender: '192.0.2.8' }));

    await drainRefusals(tally);

    const { groups } = await report();
    expect(groups).toHaveLength(12);
    expect(groups[0]).toMatchObject({ issuer: '*', sender: '192.0.2.7', count: 4_990 });
    expect(groups.map(({ sender }) => sender)).toContain('192.0.2.8');
  });

  test('I11: every five minutes have their own groups', async () => {
    const tally = createTally();
    for (let bucket = 0; bucket < 3; bucket += 1) {
      tallyMany(tally, 300, (index) => forged({ sender: `10.${bucket}.${index}.1` }));
      now += refusalBucketMs;
    }

    await drainRefusals(tally);

    expect(await countRows()).toBe(3 * 201);
    expect((await report()).reasons[0]?.counts.slice(0, 4)).toEqual([300, 300, 300, 0]);
  });
});

describe('a database that', () => {
  test('I12: hangs delays no refusal, and bounds what is kept in memory', async () => {
    const timer = createHeldTimer((ms) => ms === 2_000);
    const tally = createTally({ add: () => new Promise(() => undefined) }, timer);
    for (let bucket = 0; bucket < 20; bucket += 1) {
      tallyMany(tally, 1_000, (index) => forged({ sender: `10.${bucket}.${index % 250}.1` }));
      void writeRefusals(tally);
      now += refusalBucketMs;
    }

    expect(tally.pending.size).toBe(1_000);
    const drained = drainRefusals(tally);
    expect(timer.end()).toBe(1);
    await drained;
    const dropped = lines.map(([fields]) => (fields as { dropped: number }).dropped);
    expect(dropped.reduce((sum, count) => sum + count, 0)).toBe(20_000);
    expect(new Set(lines.map(([, name]) => name))).toEqual(new Set(['refusals.dropped']));
  });

  test('fails for a while gets the counts later', async () => {
    let isAway = true;
    const tally = createTally({
      async add(counts: readonly RefusalCount[]) {
        if (isAway) throw new Error('away');
        await store.refusals.add(counts);
      },
    });
    tallyRefusal(tally, forged());
    await writeRefusals(tally);
    tallyRefusal(tally, forged());
    await writeRefusals(tally);
    expect(lines.map(([, name]) => name)).toEqual(['refusals.not_stored', 'refusals.not_stored']);

    isAway = false;
    await writeRefusals(tally);

    expect((await report()).groups).toMatchObject([{ count: 2 }]);
  });
});

test('what two processes count adds up', async () => {
  const tallies = [createTally(), createTally((await database.open()).refusals)];
  for (const tally of tallies) {
    tallyMany(tally, 500, (index) => forged({ sender: `10.0.0.${index % 50}` }));
  }

  await Promise.all(tallies.map((tally) => drainRefusals(tally)));

  expect((await report()).reasons).toMatchObject([{ total: 1_000 }]);
  expect(await countRows()).toBe(50);
});

/** The cost of a flood of refusals is limited: rows I11 and I12 of docs/threats.md. */
import type { Timer } from '@dowel/http';
import { createHeldTimer } from '@dowel/http/testing';
import type { Store } from '@dowel/installation-store';
import { sqlite, type TestDatabase } from '@dowel/installation-store/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  createRefusalTally,
  drainRefusals,
  type RefusalTally,
  type TurnedAway,
  tallyRefusal,
  writeRefusals,
} from './refusal-tally.ts';

const hourMs = 3_600_000;
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

const createTally = (refusals = store.refusals, timer?: Timer): RefusalTally =>
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

const report = () => store.reports.reportRefusals(startedAt);

describe('refusals', () => {
  test('are counted by hour and reason, with their first and last time', async () => {
    const tally = createTally();
    tallyRefusal(tally, forged());
    now += 1_500;
    tallyRefusal(tally, forged());
    await writeRefusals(tally);
    now += hourMs;
    tallyRefusal(tally, forged({ issuer: 'other.example.com' }));
    await drainRefusals(tally);

    const { reasons, last } = await report();

    const group = { reason: 'signature_invalid', firstAt: startedAt };
    expect(reasons).toEqual([{ ...group, count: 3, lastAt: now }]);
    expect((await store.reports.reportRefusals(startedAt + hourMs)).reasons).toMatchObject([
      { count: 1 },
    ]);
    expect(last).toEqual([
      { ...forged({ issuer: 'other.example.com' }), at: now },
      { ...forged(), at: startedAt + 1_500 },
      { ...forged(), at: startedAt },
    ]);
  });

  test('I11: a hundred thousand with issuers and addresses at random are eleven rows, and each is counted', async () => {
    const tally = createTally();
    tallyRefusal(tally, forged({ reason: 'expired' }));
    tallyMany(tally, 100_000, (index) =>
      forged({ issuer: `${index}.example`, sender: `10.0.${index % 250}.1` }),
    );

    await drainRefusals(tally);

    const { reasons, last } = await report();
    expect(reasons.map(({ count }) => count)).toEqual([100_000, 1]);
    expect(last.map(({ reason }) => reason).toSorted()).toEqual([
      'expired',
      ...Array<string>(10).fill('signature_invalid'),
    ]);
    expect(last.map(({ issuer }) => issuer)).toContain('99999.example');
  });
});

describe('a database that', () => {
  test('I12: hangs delays no refusal, and bounds what is kept in memory', async () => {
    const timer = createHeldTimer((ms) => ms === 2_000);
    const tally = createTally({ add: () => new Promise(() => undefined) }, timer);
    for (let round = 0; round < 20; round += 1) {
      tallyMany(tally, 1_000, (index) => forged({ sender: `10.${round}.${index % 250}.1` }));
      void writeRefusals(tally);
    }

    expect([...tally.counts.values()]).toMatchObject([{ count: 19_000 }]);
    expect(tally.last.get('signature_invalid')).toHaveLength(10);
    const drained = drainRefusals(tally);
    expect(timer.end()).toBe(1);
    await drained;
    expect(lines.map(([, name]) => name)).toEqual(['refusals.not_stored']);
  });

  test('fails for a while gets the counts and the last refusals later', async () => {
    let isAway = true;
    const tally = createTally({
      async add(...added: Parameters<Store['refusals']['add']>) {
        if (isAway) throw new Error('away');
        await store.refusals.add(...added);
      },
    });
    tallyRefusal(tally, forged());
    await writeRefusals(tally);
    now += 1;
    tallyRefusal(tally, forged());
    await writeRefusals(tally);
    expect(lines.map(([, name]) => name)).toEqual(['refusals.not_stored', 'refusals.not_stored']);

    isAway = false;
    await writeRefusals(tally);

    expect((await report()).reasons).toMatchObject([{ count: 2 }]);
    expect((await report()).last.map(({ at }) => at)).toEqual([startedAt + 1, startedAt]);
  });
});

/** The cost of a flood of events is limited: rows I11 and I12 of docs/threats.md. */
import type { Deliveries } from '@dowel/admin-api';
import type { Timer } from '@dowel/http';
import { createHeldTimer } from '@dowel/http/testing';
import type { Store } from '@dowel/installation-store';
import { sqlite, type TestDatabase } from '@dowel/installation-store/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  createDeliveryTally,
  type DeliveryTally,
  drainDeliveries,
  tallyDelivery,
  writeDeliveries,
} from './delivery-tally.ts';

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

const createTally = (deliveries = store.deliveries, timer?: Timer): DeliveryTally =>
  createDeliveryTally({ store: { deliveries }, logger, now: () => now, ...(timer && { timer }) });

type Tallied = Parameters<typeof tallyDelivery>[1];

const forged = (changes: Partial<Tallied> = {}): Tallied => ({
  at: now,
  event: 'install',
  plugin: '',
  key: null,
  host: 'acme.example.com',
  isVerified: false,
  status: 400,
  reason: 'signature_invalid',
  isRepeat: false,
  durationMs: 1,
  offBySeconds: null,
  sender: '192.0.2.7',
  requestId: 'request',
  body: '{}',
  claims: [],
  ...changes,
});

const key = { issuer: 'https://acme.example.com', tenantId: 't', pluginId: 'p' };
const accepted = (changes: Partial<Tallied> = {}) =>
  forged({ key, isVerified: true, status: 201, reason: null, ...changes });

function tallyMany(tally: DeliveryTally, count: number, of: (index: number) => Tallied): void {
  for (let index = 0; index < count; index += 1) tallyDelivery(tally, of(index));
}

const count = () => store.reports.reportRefusals(startedAt);

async function list(): Promise<Deliveries['deliveries']> {
  const query = { limit: 200, order: 'newest' } as const;
  return (await store.reports.listDeliveries(query)).deliveries;
}

describe('deliveries', () => {
  test('are stored, and refusals are counted by hour and reason, with their first and last time', async () => {
    const tally = createTally();
    tallyDelivery(tally, forged());
    tallyDelivery(tally, accepted());
    now += 1_500;
    tallyDelivery(tally, forged());
    await writeDeliveries(tally);
    now += hourMs;
    tallyDelivery(tally, forged({ host: 'other.example.com' }));
    await drainDeliveries(tally);

    const group = { reason: 'signature_invalid', firstAt: startedAt };
    expect(await count()).toEqual([{ ...group, count: 3, lastAt: now }]);
    expect(await store.reports.reportRefusals(startedAt + hourMs)).toMatchObject([{ count: 1 }]);
    expect(await list()).toMatchObject([
      { host: 'other.example.com', at: now },
      { at: startedAt + 1_500 },
      { at: startedAt },
      { at: startedAt },
    ]);
  });

  test('I11: a hundred thousand with issuers and addresses at random are eleven rows, and each is counted', async () => {
    const tally = createTally();
    tallyDelivery(tally, forged({ reason: 'expired' }));
    tallyMany(tally, 100_000, (index) =>
      forged({ host: `${index}.example`, sender: `10.0.${index % 250}.1` }),
    );

    await drainDeliveries(tally);

    const rows = await list();
    expect((await count()).map((each) => each.count)).toEqual([100_000, 1]);
    expect(rows.map(({ reason }) => String(reason)).toSorted()).toEqual([
      'expired',
      ...Array<string>(10).fill('signature_invalid'),
    ]);
    expect(rows.map(({ host }) => host)).toContain('99999.example');
  });
});

describe('a database that', () => {
  test('I12: hangs delays no answer, and bounds what is kept in memory', async () => {
    const timer = createHeldTimer((ms) => ms === 2_000);
    const tally = createTally({ add: () => new Promise(() => undefined) }, timer);
    for (let round = 0; round < 20; round += 1) {
      tallyMany(tally, 1_000, (index) => forged({ sender: `10.${round}.${index % 250}.1` }));
      void writeDeliveries(tally);
    }

    expect([...tally.counts.values()]).toMatchObject([{ count: 19_000 }]);
    expect(tally.size).toBe(10);
    tallyMany(tally, 20_000, (index) => accepted({ key: { ...key, tenantId: `${index % 500}` } }));
    expect([...tally.pending.values()].flat()).toHaveLength(tally.size);
    expect(tally.size).toBeLessThanOrEqual(5_000);
    const drained = drainDeliveries(tally);
    expect(timer.end()).toBe(1);
    await drained;
    expect(lines.map(([, name]) => name)).toEqual(['deliveries.not_stored']);
  });

  test('fails for a while gets the counts and the deliveries later', async () => {
    let isAway = true;
    const tally = createTally({
      async add(...added: Parameters<Store['deliveries']['add']>) {
        if (isAway) throw new Error('away');
        await store.deliveries.add(...added);
      },
    });
    tallyDelivery(tally, forged());
    await writeDeliveries(tally);
    now += 1;
    tallyDelivery(tally, forged());
    tallyDelivery(tally, accepted());
    await writeDeliveries(tally);
    const notStored = 'deliveries.not_stored';
    expect(lines.map(([, name]) => name)).toEqual([notStored, notStored]);

    isAway = false;
    await writeDeliveries(tally);

    expect(await count()).toMatchObject([{ count: 2 }]);
    expect((await list()).map(({ at }) => at)).toEqual([startedAt + 1, startedAt + 1, startedAt]);
  });
});

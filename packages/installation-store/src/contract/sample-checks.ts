/** The fleet's history: one sample a minute, and the rates of all processes. */
import assert from 'node:assert/strict';
import type { SampleSeries, SeriesRequest } from '../samples/sample-series.ts';
import type { Store } from '../store.ts';
import { check, granted, minute } from './check.ts';

const none = { refreshed: 0, refreshFailed: 0, events: 0, refused: 0, shed: 0 };

/** Four hours by the minute: the clock of the leases may be moved. Two of one check need the same `at`. */
function readMinutes(store: Store, at = Date.now()): Promise<SampleSeries> {
  const middle = at - (at % minute);
  const span = { from: middle - 120 * minute, until: middle + 120 * minute };
  const ratesUntil = span.until;
  return store.samples.readSeries({ ...span, ratesUntil, stepMs: minute });
}

const numbers = (values: readonly (number | null)[] = []) =>
  values.filter((value) => value !== null);
const total = (values: readonly (number | null)[]) =>
  numbers(values).reduce((sum, value) => sum + value, 0);

export const sampleChecks = [
  check('what several processes count is added up', async ({ store, other }) => {
    const at = Date.now();
    const before = await readMinutes(store, at);

    await Promise.all([
      store.samples.record({ ...none, refreshed: 3, refused: 1 }),
      other.samples.record({ ...none, refreshed: 4, refreshFailed: 2, events: 5, shed: 6 }),
    ]);

    const { rates } = await readMinutes(other, at);
    const added = Object.entries(rates).map(([name, values]) => [
      name,
      total(values) - total(before.rates[name as keyof typeof rates]),
    ]);
    assert.deepEqual(Object.fromEntries(added), {
      refreshed: 7,
      refreshFailed: 2,
      events: 5,
      refused: 1,
      shed: 6,
      callsSucceeded: 0,
      callsFailed: 0,
      callsRefused: 0,
    });
  }),

  check('calls of several processes have the percentiles of all of them', async (c) => {
    const times = (range: number, calls: number) =>
      Array.from({ length: 8 }, (_, index) => (index === range ? calls : 0));
    const counts = { callsFailed: 1, callsRefused: 2 };
    await Promise.all([
      c.store.samples.record({ ...counts, callsSucceeded: 87, callTimes: times(0, 90) }),
      c.other.samples.record({ callsSucceeded: 10, callTimes: times(5, 10) }),
    ]);

    const at = Date.now();
    // One step, which begins two hours ago: the clock of the leases may be moved.
    const stepMs = at - (at % minute) - 120 * minute;
    const until = 2 * stepMs;
    const { callMs } = await c.store.samples.readSeries({
      from: stepMs,
      until,
      ratesUntil: until,
      stepMs,
    });
    const { rates } = await readMinutes(c.store, at);

    const added = [rates.callsSucceeded, rates.callsFailed, rates.callsRefused].map(total);
    assert.deepEqual(added, [97, 1, 2]);
    // 90 calls took up to 50 ms, and ten 1 to 2.5 s.
    assert.deepEqual(callMs, { p50: [28], p95: [1_750] });
  }),

  check('one process takes the sample of a minute', async ({ store, other, shiftClock }) => {
    await shiftClock(minute);
    const at = Date.now();
    const before = await readMinutes(store, at);
    const stores = [store, other, store, other];

    const results = await Promise.all(stores.map(({ samples }) => samples.record(none)));

    const after = await readMinutes(store, at);
    const taken = results.filter(Boolean).length;
    assert.ok(taken >= 1 && taken < stores.length, `${taken} samples`);
    const added = numbers(after.groups.broken).length - numbers(before.groups.broken).length;
    assert.equal(added, taken);
    await shiftClock(-minute);
  }),

  check('a sample has the counts by group and by cause', async ({ store, other, shiftClock }) => {
    await shiftClock(5 * minute);
    await store.samples.record(none);
    const { grant } = await granted(store);
    await store.grants.markAwaitingEvent(grant, 'invalid_grant', 9);
    await shiftClock(minute);

    await other.samples.record(none);

    const { groups, broken, causes } = await readMinutes(store);
    const [previous = 0, newest = 0] = numbers(groups.broken).slice(-2);
    assert.ok(newest > previous, `${previous}, then ${newest}`);
    assert.equal(numbers(broken.max).at(-1), newest);
    const ofCause = causes.find(({ cause }) => cause === 'invalid_grant');
    const [earlier = 0, later = 0] = numbers(ofCause?.values).slice(-2);
    assert.equal(later, earlier + 1);
    await shiftClock(-6 * minute);
  }),

  check('a span without samples has no values', async ({ store }) => {
    const span = { from: 0, until: 2, ratesUntil: 2 };
    const request: SeriesRequest = { ...span, stepMs: 1 };

    const { groups, broken, causes, rates } = await store.samples.readSeries(request);

    assert.deepEqual(groups.working, [null, null]);
    assert.deepEqual(broken.max, [null, null]);
    assert.deepEqual(rates.refreshed, [null, null]);
    assert.deepEqual(causes, []);
  }),
];

import type { FleetCounts } from '@dowel/installation-store';
import type { CallCounts } from '@dowel/token-client';
import { expect, test, vi } from 'vitest';
import {
  countObservation,
  countTurnedAway,
  createFleetSampler,
  drainSamples,
  recordSample,
} from './fleet-samples.ts';

const none: FleetCounts = {
  refreshed: 0,
  refreshFailed: 0,
  events: 0,
  refused: 0,
  shed: 0,
  callsSucceeded: 0,
  callsFailed: 0,
  callsRefused: 0,
  callTimes: [],
};
const noCalls: CallCounts = { succeeded: 0, failed: 0, refused: 0, times: [] };
const refreshed = {
  type: 'token.refreshed',
  installationId: 'acme',
} as Parameters<typeof countObservation>[1];

function createWorld() {
  const record = vi.fn(async (_counts: Partial<FleetCounts>) => true);
  const clock = { at: 600_000 };
  const context = {
    store: { samples: { record, readSeries: vi.fn() } },
    sampler: createFleetSampler(),
    tokenClient: { takeCallCounts: vi.fn(() => noCalls) },
    database: { isAvailable: true },
    logger: { error: vi.fn() },
    now: () => clock.at,
  };
  return { context, clock, record };
}

test('what was counted is stored once', async () => {
  const { context, record } = createWorld();
  countObservation(context.sampler, refreshed);
  countTurnedAway(context.sampler, 400);
  countTurnedAway(context.sampler, 429);
  countTurnedAway(context.sampler, 503);

  await recordSample(context);
  await recordSample(context);

  expect(record).toHaveBeenCalledExactlyOnceWith({ ...none, refreshed: 1, refused: 1, shed: 2 });
});

test('calls are stored with the other counts', async () => {
  const { context, record } = createWorld();
  const { takeCallCounts } = context.tokenClient;
  takeCallCounts.mockReturnValueOnce({ succeeded: 5, failed: 2, refused: 1, times: [6, 2] });

  await recordSample(context);

  const calls = { callsSucceeded: 5, callsFailed: 2, callsRefused: 1, callTimes: [6, 2] };
  expect(record).toHaveBeenCalledExactlyOnceWith({ ...none, ...calls });
});

test('a quiet process records once a minute', async () => {
  const { context, clock, record } = createWorld();

  for (const at of [600_000, 610_000, 659_999, 660_000]) {
    clock.at = at;
    await recordSample(context);
  }

  expect(record.mock.calls).toEqual([[none], [none]]);
});

test('what happened in a minute without a database is no burst of the next one', async () => {
  const { context, clock, record } = createWorld();
  await recordSample(context);
  context.database.isAvailable = false;
  clock.at += 60_000;
  await recordSample(context);
  countTurnedAway(context.sampler, 503);
  clock.at += 60_000;
  await recordSample(context);
  context.database.isAvailable = true;

  await recordSample(context);
  countObservation(context.sampler, refreshed);
  await recordSample(context);

  expect(record.mock.calls).toEqual([[none], [{ ...none, refreshed: 1 }]]);
});

test('a failure is logged, and the next record goes on', async () => {
  const { context, clock, record } = createWorld();
  const err = new Error('busy');
  record.mockRejectedValueOnce(err);

  await recordSample(context);
  clock.at += 60_000;
  await recordSample(context);

  expect(context.logger.error).toHaveBeenCalledExactlyOnceWith({ err }, 'fleet_sample.failed');
  expect(record).toHaveBeenCalledTimes(2);
});

test('a failure of what follows a sample is logged, too', async () => {
  const { context } = createWorld();
  const err = new Error('busy');

  await recordSample({ ...context, onSample: () => Promise.reject(err) });

  expect(context.logger.error).toHaveBeenCalledExactlyOnceWith({ err }, 'fleet_sample.failed');
});

test('a stop waits for counts that are being stored, and then stores what came meanwhile', async () => {
  const { context, record } = createWorld();
  const stored = Promise.withResolvers<boolean>();
  record.mockReturnValueOnce(stored.promise);
  void recordSample(context);
  countObservation(context.sampler, refreshed);

  const drained = drainSamples(context);
  await Promise.resolve();
  expect(record.mock.calls).toEqual([[none]]);
  stored.resolve(true);
  await drained;

  expect(record.mock.calls).toEqual([[none], [{ ...none, refreshed: 1 }]]);
});

/**
 * What this process counts for the fleet's history. Counting is an addition in memory; the store gets the sums
 * every ten seconds. A crash loses the last seconds. A minute that could not be stored stays a gap.
 */
import type { FleetCounts, Store } from '@dowel/installation-store';
import type { TokenClient } from '@dowel/token-client';
import type { DatabaseState } from '../base/database-state.ts';
import type { Log } from '../log/log.ts';
import type { Observation } from '../observation.ts';

const minuteMs = 60_000;

/** What is counted here; the token client counts calls. */
type Counted = Pick<FleetCounts, 'refreshed' | 'refreshFailed' | 'events' | 'refused' | 'shed'>;

export interface FleetSampler {
  /** Counts that are not stored yet. */
  counted: Counted;
  /** The number of the minute that `counted` belongs to. */
  minute: number;
  /** Undefined: nothing is being stored. */
  recording: Promise<void> | undefined;
}

export interface SamplingContext {
  store: Pick<Store, 'samples'>;
  sampler: FleetSampler;
  tokenClient: Pick<TokenClient, 'takeCallCounts'>;
  database: Pick<DatabaseState, 'isAvailable'>;
  /** Called in the process that has stored the minute's sample of all. Default: nothing. */
  onSample?: (() => Promise<void>) | undefined;
  logger: Pick<Log, 'error'>;
  now: () => number;
}

/** Starts with all counts at zero. */
export function createFleetSampler(): FleetSampler {
  return { counted: countNothing(), minute: 0, recording: undefined };
}

function countNothing(): Counted {
  return { refreshed: 0, refreshFailed: 0, events: 0, refused: 0, shed: 0 };
}

export function countObservation({ counted }: FleetSampler, { type }: Observation): void {
  if (type === 'token.refreshed') counted.refreshed += 1;
  else if (type === 'token.refresh_failed') counted.refreshFailed += 1;
  else if (type === 'event.answered') counted.events += 1;
}

/** @param status 429 and 503 count as "try again later", all others as refused. */
export function countTurnedAway({ counted }: FleetSampler, status: number): void {
  if (status === 429 || status === 503) counted.shed += 1;
  else counted.refused += 1;
}

/**
 * Stores the counts; once a minute also when they are zero. Run it every few seconds. While counts are being stored, it
 * resolves when these are.
 */
export function recordSample(context: SamplingContext): Promise<void> {
  const { sampler } = context;
  sampler.recording ??= record(context).finally(() => {
    sampler.recording = undefined;
  });
  return sampler.recording;
}

/** Stores the last counts. The store may be closed afterwards. */
export async function drainSamples(context: SamplingContext): Promise<void> {
  await context.sampler.recording;
  await recordSample(context);
}

async function record({
  store,
  sampler,
  tokenClient,
  database,
  onSample,
  logger,
  now,
}: SamplingContext): Promise<void> {
  const minute = Math.floor(now() / minuteMs);
  const isNewMinute = minute !== sampler.minute;
  if (!database.isAvailable) {
    if (isNewMinute) {
      sampler.counted = countNothing();
      tokenClient.takeCallCounts();
    }
    sampler.minute = minute;
    return;
  }
  const { succeeded, failed, refused, times } = tokenClient.takeCallCounts();
  const calls = { callsSucceeded: succeeded, callsFailed: failed, callsRefused: refused };
  const counts = { ...sampler.counted, ...calls };
  if (!isNewMinute && Object.values(counts).every((count) => count === 0)) return;
  sampler.minute = minute;
  sampler.counted = countNothing();
  await store.samples
    .record({ ...counts, callTimes: times })
    .then((isMine) => (isMine ? onSample?.() : undefined))
    .catch((err: unknown) => logger.error({ err }, 'fleet_sample.failed'));
}

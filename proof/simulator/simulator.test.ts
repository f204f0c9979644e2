/**
 * Thousands of histories, each decided by its seed (fault X2): calls, events and faults of one to four
 * processes on one database, in virtual time. `DOWEL_SIM_SEED=17` runs one history again and shows it;
 * `DOWEL_SIM_HISTORIES=100000` makes a long run of it.
 */
import { availableParallelism } from 'node:os';
import { env, stdout } from 'node:process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BatchReport } from './batch.ts';
import { startBatchWorkers } from './batch-workers.ts';
import { openSimulatedDatabase } from './database.ts';
import { type History, runHistory } from './history.ts';
import { addCounts, noCounts, situations } from './situations.ts';

const batchSize = 250;
const usual = env.DOWEL_TESTS === 'all' ? 5_000 : 500;
/** With fewer histories, chance decides whether a rare situation is met. */
const enoughForAll = 1_000;
const histories = Number(env.DOWEL_SIM_HISTORIES ?? usual);
const seed = env.DOWEL_SIM_SEED === undefined ? undefined : Number(env.DOWEL_SIM_SEED);
const batches = Array.from({ length: Math.ceil(histories / batchSize) }, (_, index) => ({
  from: index * batchSize + 1,
  to: Math.min((index + 1) * batchSize, histories),
}));
/** The number of printed lines of a broken history. */
const shownLines = 60;

function assertKept(history: History | undefined): void {
  if (!history?.violation) return;
  const { rule, detail } = history.violation;
  const shown = history.trace.slice(-shownLines).join('\n');
  const again = `DOWEL_SIM_SEED=${history.seed} shows all of it.`;
  throw new Error(
    `History ${history.seed} breaks a promise: ${rule} (${detail}). ${again}\n${shown}`,
  );
}

test.runIf(seed !== undefined)(`X2: history ${seed} keeps every promise`, async () => {
  const database = await openSimulatedDatabase();
  const history = await runHistory(seed ?? 0, database);
  await database.close();
  stdout.write(`${history.trace.join('\n')}\n`);
  assertKept(history);
});

describe.skipIf(seed !== undefined)('every promise is kept', () => {
  const counts = noCounts();
  const startedAt = performance.now();
  let workers: ReturnType<typeof startBatchWorkers>;
  let reports: Promise<BatchReport>[];

  beforeAll(() => {
    workers = startBatchWorkers(Math.min(availableParallelism(), batches.length));
    reports = batches.map((batch) => workers.run(batch));
    // Each is awaited by its own test.
    for (const report of reports) report.catch(() => {});
  });
  afterAll(() => workers.close());

  test.each(batches.map((batch, index) => ({ ...batch, index })))(
    'K10, P2, R6, R7, T8: in the histories $from to $to',
    async ({ index }) => {
      const report = await reports[index];
      if (report) addCounts(counts, report.counts);
      assertKept(report?.broken);
    },
    600_000,
  );

  test.skipIf(histories < enoughForAll)('and no situation has become rare', () => {
    const missed = situations.filter((situation) => counts[situation] === 0);
    expect(missed).toEqual([]);
  });

  afterAll(() => {
    const perSecond = Math.round(histories / ((performance.now() - startedAt) / 1000));
    const summary = situations.map((situation) => `${situation} ${counts[situation]}`).join(', ');
    stdout.write(`${histories} histories, ${perSecond}/s: ${summary}\n`);
  });
});

test.skipIf(seed !== undefined)('a seed decides everything that happens', async () => {
  const database = await openSimulatedDatabase();
  for (let each = 1; each <= 10; each += 1) {
    const { trace } = await runHistory(each, database);
    expect((await runHistory(each, database)).trace).toEqual(trace);
  }
  await database.close();
});

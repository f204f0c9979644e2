/**
 * Thousands of histories, each decided by its seed (fault X2): calls, events and faults of one to four
 * processes on one database, in virtual time. `DOWEL_SIM_SEED=17` runs one history again and shows it;
 * `DOWEL_SIM_HISTORIES=100000` makes a long run of it.
 */
import { env, stdout } from 'node:process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSimulatedDatabase, type SimulatedDatabase } from './database.ts';
import { type History, runHistory } from './history.ts';
import { addCounts, noCounts, situations } from './situations.ts';

const batchSize = 500;
const histories = Number(env.DOWEL_SIM_HISTORIES ?? 5_000);
const seed = env.DOWEL_SIM_SEED === undefined ? undefined : Number(env.DOWEL_SIM_SEED);
const batches = Array.from({ length: Math.ceil(histories / batchSize) }, (_, index) => ({
  from: index * batchSize + 1,
  to: Math.min((index + 1) * batchSize, histories),
}));
/** What of a broken history is shown, without being asked for. */
const shownLines = 60;

let database: SimulatedDatabase;

beforeAll(async () => {
  database = await openSimulatedDatabase();
});
afterAll(() => database.close());

function assertKept({ seed, violation, trace }: History): void {
  if (!violation) return;
  const { rule, detail } = violation;
  const shown = trace.slice(-shownLines).join('\n');
  const again = `DOWEL_SIM_SEED=${seed} shows all of it.`;
  throw new Error(`History ${seed} breaks a promise: ${rule} (${detail}). ${again}\n${shown}`);
}

test.runIf(seed !== undefined)(`history ${seed} keeps every promise`, async () => {
  const history = await runHistory(seed ?? 0, database);
  stdout.write(`${history.trace.join('\n')}\n`);
  assertKept(history);
});

describe.skipIf(seed !== undefined)('every promise is kept', () => {
  const counts = noCounts();
  const startedAt = performance.now();

  test.each(batches)(
    'in the histories $from to $to',
    async ({ from, to }) => {
      for (let each = from; each <= to; each += 1) {
        const history = await runHistory(each, database);
        addCounts(counts, history.counts);
        assertKept(history);
      }
    },
    120_000,
  );

  test('and no situation has become rare', () => {
    const seconds = (performance.now() - startedAt) / 1000;
    const summary = situations.map((situation) => `${situation} ${counts[situation]}`).join(', ');
    stdout.write(`${histories} histories, ${Math.round(histories / seconds)}/s: ${summary}\n`);

    const missed = situations.filter((situation) => counts[situation] === 0);
    expect(histories >= batchSize ? missed : []).toEqual([]);
  });
});

test.skipIf(seed !== undefined)('a seed decides everything that happens', async () => {
  for (let each = 1; each <= 25; each += 1) {
    const { trace } = await runHistory(each, database);
    expect((await runHistory(each, database)).trace).toEqual(trace);
  }
});

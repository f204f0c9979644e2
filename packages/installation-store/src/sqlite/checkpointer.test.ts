/** The thread that writes the log back, beside another connection that reads. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rename, rm } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { collectUnhandled } from '@dowel/settings/testing';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { begin } from '../contract/check.ts';
import { sqlite, type TestDatabase } from '../testing/index.ts';
import { logPath } from './barrier.ts';
import type { Task } from './checkpoint-worker.ts';
import { type CheckpointObservation, createCheckpointer } from './checkpointer.ts';

const largeLog = 9 * 1024 * 1024;

let database: TestDatabase;
let path: string;

beforeEach(async () => {
  database = await sqlite.create();
  ({ path } = database.location as { path: string });
  // Its own thread has nothing to do: the log is small.
  await begin(await database.open());
});

afterEach(() => database.destroy());

function create(fail: () => unknown = () => {}) {
  const observations: CheckpointObservation[] = [];
  const checkpointer = createCheckpointer(path, (seen) => {
    observations.push(seen);
    return fail();
  });
  onTestFinished(async () => {
    await checkpointer.stop();
  });
  return { ...checkpointer, observations };
}

/** Like a backup: reads from the log, which therefore cannot be cut. */
function startReading() {
  const reader = new DatabaseSync(path);
  reader.exec('begin');
  reader.prepare('select count(*) from installations').get();
  onTestFinished(() => reader.close());
  return { end: () => reader.exec('rollback') };
}

test('a truncation holds up writes for a moment only, while somebody reads for long', async () => {
  startReading();
  const { sync } = create();
  const durations: number[] = [];
  // A busy machine may hold some up.
  for (let tries = 0; tries < 5; tries += 1) {
    const startedAt = performance.now();
    expect(await sync()).toBe(false);
    durations.push(performance.now() - startedAt);
  }

  expect(Math.min(...durations)).toBeLessThan(200);
});

/** Changes when a new log begins: its number and its salts. */
const readLogHeader = async () => (await readFile(logPath(path))).subarray(0, 32).toString('hex');

test('a write after the whole log was written back, and before it is cut, begins no new log', async () => {
  const thread = new Worker(new URL('checkpoint-worker.ts', import.meta.url), { workerData: path });
  onTestFinished(async () => {
    await thread.terminate();
  });
  const run = async (task: Task) => {
    thread.postMessage(task);
    const [failure] = await once(thread, 'message');
    return failure;
  };
  const store = await database.open();
  const before = await readLogHeader();

  expect(await run('write back')).toBeUndefined();
  await begin(store);
  expect(await readLogHeader()).toBe(before);
  expect(await run('truncate')).toBeUndefined();
  expect(await readLogHeader()).not.toBe(before);
});

test('the pause after a failed truncation doubles up to 10 s, and ends with a success', async () => {
  const reading = startReading();
  const { watch } = create();
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const pauses: number[] = [];
  const pauseUntilTry = async () => {
    for (let pauseMs = 0; ; pauseMs += 250) {
      const tried = watch(largeLog);
      if (tried) return { pauseMs, isDone: await tried };
      vi.advanceTimersByTime(250);
    }
  };
  for (let tries = 0; tries < 8; tries += 1) pauses.push((await pauseUntilTry()).pauseMs);

  expect(pauses).toEqual([0, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  reading.end();
  expect(await pauseUntilTry()).toEqual({ pauseMs: 10_000, isDone: true });
  expect(await pauseUntilTry()).toEqual({ pauseMs: 0, isDone: true });
});

test('a caller does not share a truncation that began before its call', async () => {
  const reading = startReading();
  const { sync, truncating } = create();
  const first = sync();
  const results = first.then((isDone) => {
    reading.end();
    return isDone;
  });
  await vi.waitFor(() => expect(truncating()).toBeDefined(), { interval: 1 });

  expect(await Promise.all([results, sync()])).toEqual([false, true]);
});

test('ten failures in a row are observed once, and the success after them', async () => {
  const reading = startReading();
  const { sync, observations } = create();
  for (let tries = 0; tries < 9; tries += 1) await sync();
  expect(observations).toEqual([]);

  for (let tries = 0; tries < 3; tries += 1) await sync();
  const reason = 'others read or write all the time';
  expect(observations).toEqual([{ type: 'failing', reason }]);

  reading.end();
  for (let tries = 0; tries < 2; tries += 1) await sync();
  expect(observations.slice(1)).toEqual([{ type: 'recovered' }]);
});

const failure = new Error('The observer failed');
const failing: [string, () => unknown][] = [
  [
    'throws',
    () => {
      throw failure;
    },
  ],
  ['rejects', () => Promise.reject(failure)],
];

test.each(failing)('an observer that %s changes nothing', async (_, fail) => {
  const unhandled = collectUnhandled();
  const reading = startReading();
  const { sync, observations } = create(fail);

  for (let tries = 0; tries < 10; tries += 1) expect(await sync()).toBe(false);
  reading.end();
  expect(await sync()).toBe(true);
  await rm(path);
  expect(await create(fail).sync()).toBe(false);
  // A rejection that nobody handles is reported in the next turn of the loop.
  await nextTurn();

  expect(observations.map(({ type }) => type)).toEqual(['failing', 'recovered']);
  expect(unhandled).toEqual([]);
});

test('the end of the thread is observed, and the next try starts another', async () => {
  const { sync, revive, observations } = create();
  expect(await revive()).toBeUndefined();
  await rename(path, `${path}.away`);
  const reason = expect.stringContaining('unable to open');
  expect(await sync()).toBe(false);
  expect(await revive()).toEqual(reason);
  await rename(`${path}.away`, path);

  expect(await revive()).toBeUndefined();
  const ended = { type: 'thread_ended', reason };
  expect(observations).toEqual([ended, ended]);
});

/** Runs the source in a process of its own, which has nothing else to do. */
async function runAlone(source: string) {
  const load = `import { createCheckpointer } from ${JSON.stringify(import.meta.resolve('./checkpointer.ts'))};
    const checkpointer = createCheckpointer(${JSON.stringify(path)}, () => {});`;
  const args = ['--input-type=module', '-e', `${load}${source}`];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const output = await text(child.stdout);
  const [code] = await exited;
  return { output, code };
}

test('a process that only waits for the thread does not end before the answer', async () => {
  const awaitAll = `
    await checkpointer.sync();
    process.stdout.write('synced ');
    void checkpointer.sync();
    await checkpointer.stop();
    process.stdout.write('stopped');`;

  expect(await runAlone(awaitAll)).toEqual({ output: 'synced stopped', code: 0 });
});

test('a thread that has nothing to do does not keep its process alive', async () => {
  expect(await runAlone('await checkpointer.sync();')).toEqual({ output: '', code: 0 });
});

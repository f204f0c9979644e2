/**
 * Has the log of a SQLite database written back, by a thread that is started when it is first needed. A
 * truncation also removes deleted secrets from the log; another process that reads prevents it, so it is
 * tried until it succeeds. Each try holds up all writes for a moment, so the pauses between them grow.
 */
import { Worker } from 'node:worker_threads';
import type { Task } from './checkpoint-worker.ts';
import { findWorker } from './worker-file.ts';

/** From this size on the log is written back and cut, in bytes. */
const maxLogBytes = 8 * 1024 * 1024;
const eraseDelayMs = 1_000;
/** After a failed try. Each further one in a row doubles the pause. */
const pauseMs = { first: 500, max: 10_000 };
/** After so many in a row, which take about a minute, a backup that reads is not the likely cause any more. */
const triesBeforeNotice = 10;

export type CheckpointObservation =
  /** The next try starts another thread. */
  | { type: 'thread_ended'; reason: string }
  /** Seen once, until `recovered`. Meanwhile the log grows, and deleted secrets stay in it. */
  | { type: 'failing'; reason: string }
  | { type: 'recovered' };

export interface Checkpointer {
  /** Keeps a log of this size from growing. Undefined: it is small, or the pause after a failed try lasts. */
  watch(logBytes: number): Promise<boolean> | undefined;
  /** Truncates the log soon; requests in between share one truncation. */
  erase(): void;
  /** Writes the log back and truncates it, from now on. False: others prevent it, or the disk fails. */
  sync(): Promise<boolean>;
  /**
   * While the log is cut: writes wait for it. A commit right after the cut would begin the new log, and wait
   * for the disk.
   */
  truncating(): Promise<unknown> | undefined;
  /** Why the thread has ended, if it did and no other has worked since. Starts another one. */
  revive(): Promise<string | undefined>;
  /** True if an erasure was still to come. */
  stop(): Promise<boolean>;
}

interface CheckpointerContext {
  /** The path of the database. */
  path: string;
  observe: (observation: CheckpointObservation) => void;
  worker: Worker | undefined;
  endReason: string | undefined;
  running: Promise<boolean> | undefined;
  truncation: Promise<unknown> | undefined;
  erasing: NodeJS.Timeout | undefined;
  /** Failed tries in a row. */
  failures: number;
  /** By `performance.now()`. */
  pausedUntil: number;
  isStopped: boolean;
}

/**
 * Creates the checkpointer of one database. The thread starts with the first task.
 *
 * @param observe its errors and rejections are ignored: they must not end the process.
 */
export function createCheckpointer(
  path: string,
  observe: (observation: CheckpointObservation) => void,
): Checkpointer {
  const context: CheckpointerContext = {
    path,
    observe(observation) {
      // Runs the observer at once.
      void (async () => observe(observation))().catch(() => {});
    },
    worker: undefined,
    endReason: undefined,
    running: undefined,
    truncation: undefined,
    erasing: undefined,
    failures: 0,
    pausedUntil: 0,
    isStopped: false,
  };
  return {
    watch: (logBytes) => watch(context, logBytes),
    // control E10
    erase: () => erase(context, eraseDelayMs),
    sync: () => syncFromNow(context),
    truncating: () => context.truncation,
    revive: () => revive(context),
    stop: () => stop(context),
  };
}

function watch(context: CheckpointerContext, logBytes: number): Promise<boolean> | undefined {
  if (logBytes > maxLogBytes && performance.now() >= context.pausedUntil) return sync(context);
  return undefined;
}

/** What runs already may have begun before the commit, or the failure, that the caller knows of. */
async function syncFromNow(context: CheckpointerContext): Promise<boolean> {
  await context.running;
  return context.isStopped ? false : sync(context);
}

/** Callers that come while the thread works share its result. */
function sync(context: CheckpointerContext): Promise<boolean> {
  context.running ??= tryOnce(context).finally(() => {
    context.running = undefined;
  });
  return context.running;
}

async function tryOnce(context: CheckpointerContext): Promise<boolean> {
  // Without a thread, too: the system may have none to give.
  const failure = await writeBackAndTruncate(context).catch(({ message }: Error) => message);
  if (context.isStopped) return failure === undefined;
  if (failure === undefined) recover(context);
  else fail(context, failure);
  return failure === undefined;
}

async function revive(context: CheckpointerContext): Promise<string | undefined> {
  if (context.endReason !== undefined) await syncFromNow(context);
  return context.endReason;
}

function recover(context: CheckpointerContext): void {
  if (context.failures >= triesBeforeNotice) context.observe({ type: 'recovered' });
  context.failures = 0;
  context.pausedUntil = 0;
}

function fail(context: CheckpointerContext, reason: string): void {
  context.failures += 1;
  context.pausedUntil = performance.now() + pauseAfter(context.failures);
  if (context.failures === triesBeforeNotice) context.observe({ type: 'failing', reason });
}

function pauseAfter(failures: number): number {
  return Math.min(pauseMs.first * 2 ** (failures - 1), pauseMs.max);
}

/** Resolves with the reason when it fails. */
async function writeBackAndTruncate(context: CheckpointerContext): Promise<string | undefined> {
  const failure = await ask(startThread(context), 'write back');
  if (failure !== undefined) return failure;
  const truncation = ask(startThread(context), 'truncate');
  context.truncation = truncation;
  await truncation;
  context.truncation = undefined;
  return truncation;
}

function startThread(context: CheckpointerContext): Worker {
  if (context.worker) return context.worker;
  const thread = new Worker(findWorker('checkpoint-worker'), { workerData: context.path });
  thread.unref();
  let reason = '';
  thread.on('error', ({ message }: Error) => {
    reason = message;
  });
  thread.once('exit', (code) => {
    context.worker = undefined;
    reason ||= `it ended with code ${code}`;
    context.endReason = reason;
    if (!context.isStopped) context.observe({ type: 'thread_ended', reason });
  });
  thread.on('message', () => {
    context.endReason = undefined;
  });
  context.worker = thread;
  return thread;
}

function erase(context: CheckpointerContext, inMs: number): void {
  if (context.isStopped) return;
  context.erasing ??= setTimeout(async () => {
    const isDone = await syncFromNow(context);
    if (context.isStopped && !isDone) return;
    context.erasing = undefined;
    if (!isDone) erase(context, pauseAfter(context.failures));
  }, inMs).unref();
}

async function stop(context: CheckpointerContext): Promise<boolean> {
  context.isStopped = true;
  clearTimeout(context.erasing);
  await context.running;
  await context.worker?.terminate();
  const mustErase = context.erasing !== undefined;
  context.erasing = undefined;
  return mustErase;
}

/** Resolves with the reason when the task fails, or the thread has ended. */
function ask(thread: Worker, task: Task): Promise<string | undefined> {
  return new Promise((resolve) => {
    const settle = (failure: string | undefined) => {
      thread.off('message', settle);
      thread.off('exit', onExit);
      thread.unref();
      resolve(failure);
    };
    const onExit = () => settle('its thread has ended');
    thread.once('message', settle);
    thread.once('exit', onExit);
    thread.postMessage(task);
    // A process that only waits for the log must not end.
    thread.ref();
  });
}

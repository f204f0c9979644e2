/**
 * Has the log of a SQLite database written back, by a thread that is started when it is first needed. A
 * truncation also removes deleted secrets from the log; another process that reads prevents it, so it is
 * tried until it succeeds.
 */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Task } from './checkpoint-worker.ts';

/** From this size on the log is written back and cut, in bytes. */
const maxLogBytes = 8 * 1024 * 1024;
const eraseDelayMs = 1_000;
const retryMs = 500;

export interface Checkpointer {
  /** Keeps a log of this size from growing. */
  watch(logBytes: number): void;
  /** Truncates the log soon; requests in between share one truncation. */
  erase(): void;
  /** Writes the log back and truncates it. False: others prevent it, or the disk fails. */
  sync(): Promise<boolean>;
  /**
   * While the log is cut: writes wait for it. A commit right after the cut would begin the new log, and wait
   * for the disk.
   */
  truncating(): Promise<boolean> | undefined;
  /** True if an erasure was still to come. */
  stop(): Promise<boolean>;
}

interface CheckpointerContext {
  /** The path of the database. */
  path: string;
  worker: Worker | undefined;
  running: Promise<boolean> | undefined;
  truncation: Promise<boolean> | undefined;
  erasing: NodeJS.Timeout | undefined;
  isStopped: boolean;
}

/** Creates the checkpointer of one database. The thread starts with the first task. */
export function createCheckpointer(path: string): Checkpointer {
  const context: CheckpointerContext = {
    path,
    worker: undefined,
    running: undefined,
    truncation: undefined,
    erasing: undefined,
    isStopped: false,
  };
  return {
    watch(logBytes) {
      if (logBytes > maxLogBytes) void sync(context);
    },
    erase: () => erase(context, eraseDelayMs),
    sync: () => sync(context),
    truncating: () => context.truncation,
    stop: () => stop(context),
  };
}

/** Callers that come while the thread works share its result. */
function sync(context: CheckpointerContext): Promise<boolean> {
  // Without a thread, too: the system may have none to give.
  context.running ??= writeBackAndTruncate(context)
    .catch(() => false)
    .finally(() => {
      context.running = undefined;
    });
  return context.running;
}

async function writeBackAndTruncate(context: CheckpointerContext): Promise<boolean> {
  if (!(await ask(startThread(context), 'write back'))) return false;
  context.truncation = ask(startThread(context), 'truncate');
  const isDone = await context.truncation;
  context.truncation = undefined;
  return isDone;
}

function startThread(context: CheckpointerContext): Worker {
  if (context.worker) return context.worker;
  const file = new URL(`./checkpoint-worker${extname(import.meta.url)}`, import.meta.url);
  const thread = new Worker(file, { workerData: context.path });
  thread.unref();
  // An error ends the thread; the next request starts another.
  thread.on('error', () => {});
  thread.once('exit', () => {
    context.worker = undefined;
  });
  context.worker = thread;
  return thread;
}

function erase(context: CheckpointerContext, inMs: number): void {
  if (context.isStopped) return;
  context.erasing ??= setTimeout(async () => {
    // One that runs already may have begun before the commit that erases.
    await context.running;
    const isDone = !context.isStopped && (await sync(context));
    if (context.isStopped && !isDone) return;
    context.erasing = undefined;
    if (!isDone) erase(context, retryMs);
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

/** False: others read or write, the disk fails, or the thread has ended. */
function ask(thread: Worker, task: Task): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (isDone: boolean) => {
      thread.off('message', settle);
      thread.off('exit', onExit);
      resolve(isDone);
    };
    const onExit = () => settle(false);
    thread.once('message', settle);
    thread.once('exit', onExit);
    thread.postMessage(task);
  });
}

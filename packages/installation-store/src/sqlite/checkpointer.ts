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

export function createCheckpointer(path: string): Checkpointer {
  let worker: Worker | undefined;
  let running: Promise<boolean> | undefined;
  let truncation: Promise<boolean> | undefined;
  let erasing: NodeJS.Timeout | undefined;
  let isStopped = false;

  /** Callers that come while the thread works share what it does. */
  function sync(): Promise<boolean> {
    // Without a thread, too: the system may have none to give.
    running ??= writeBackAndTruncate()
      .catch(() => false)
      .finally(() => {
        running = undefined;
      });
    return running;
  }

  async function writeBackAndTruncate(): Promise<boolean> {
    if (!(await ask(startThread(), 'write back'))) return false;
    truncation = ask(startThread(), 'truncate');
    const isDone = await truncation;
    truncation = undefined;
    return isDone;
  }

  function startThread(): Worker {
    if (worker) return worker;
    const file = new URL(`./checkpoint-worker${extname(import.meta.url)}`, import.meta.url);
    const thread = new Worker(file, { workerData: path });
    thread.unref();
    // An error ends the thread; the next request starts another.
    thread.on('error', () => {});
    thread.once('exit', () => {
      worker = undefined;
    });
    worker = thread;
    return thread;
  }

  function erase(inMs: number): void {
    if (isStopped) return;
    erasing ??= setTimeout(async () => {
      // One that runs already may have begun before the commit that erases.
      await running;
      const isDone = !isStopped && (await sync());
      if (isStopped && !isDone) return;
      erasing = undefined;
      if (!isDone) erase(retryMs);
    }, inMs).unref();
  }

  return {
    watch(logBytes) {
      if (logBytes > maxLogBytes) void sync();
    },
    erase: () => erase(eraseDelayMs),
    sync,
    truncating: () => truncation,
    async stop() {
      isStopped = true;
      clearTimeout(erasing);
      await running;
      await worker?.terminate();
      const mustErase = erasing !== undefined;
      erasing = undefined;
      return mustErase;
    },
  };
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

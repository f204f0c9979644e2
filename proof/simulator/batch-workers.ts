/** Batches on several threads: one history uses one processor. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Batch, BatchReport } from './batch.ts';

const program = new URL('./batch-worker.ts', import.meta.url);

export function startBatchWorkers(number: number) {
  const workers = Array.from({ length: number }, () => new Worker(program));
  const free = [...workers];
  const waiting: ((worker: Worker) => void)[] = [];

  async function take(): Promise<Worker> {
    return free.pop() ?? new Promise((resolve) => waiting.push(resolve));
  }

  function giveBack(worker: Worker): void {
    const next = waiting.shift();
    if (next) next(worker);
    else free.push(worker);
  }

  return {
    async run(batch: Batch): Promise<BatchReport> {
      const worker = await take();
      const answer = once(worker, 'message') as Promise<[BatchReport]>;
      worker.postMessage(batch);
      const [report] = await answer;
      giveBack(worker);
      return report;
    },

    async close(): Promise<void> {
      // A thread that failed has ended.
      const running = workers.filter(({ threadId }) => threadId !== -1);
      await Promise.all(
        running.map((worker) => {
          worker.postMessage('end');
          return once(worker, 'exit');
        }),
      );
    },
  };
}

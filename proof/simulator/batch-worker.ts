/** A thread that runs the received batches. */
import { parentPort } from 'node:worker_threads';
import { type Batch, createBatchRunner } from './batch.ts';

const runner = await createBatchRunner();

parentPort?.on('message', async (batch: Batch | 'end') => {
  if (batch !== 'end') {
    parentPort?.postMessage(await runner.run(batch));
    return;
  }
  await runner.close();
  parentPort?.close();
});

/** A platform, a database, and one or several processes that share it. */
import type { AccessTokenEventPayload } from '@dowel/schema';
import { createWorld, receiveEvent, type WorldOptions } from '@dowel/token-client/testing';
import { addOutcomes, type CallPlan, makeCalls, type Outcomes } from './make-calls.ts';
import { startWorker, type TestWorker } from './worker-pool.ts';

export interface HerdWorldOptions extends WorldOptions {
  /** 1: the test's own process; more: child processes. Default 1. */
  processes?: number;
}

export type HerdWorld = Awaited<ReturnType<typeof createHerdWorld>>;

export async function createHerdWorld({ processes = 1, ...options }: HerdWorldOptions) {
  const world = await createWorld(options);
  const { database, store, platform, client } = world;
  const setup = {
    database: {
      location: database.location,
      key: Buffer.from(database.encryptionKey).toString('base64'),
    },
    policy: options.policy ?? {},
    internalOrigins: [platform.origin],
  };
  const workers =
    processes === 1 ? [] : Array.from({ length: processes }, () => startWorker(setup));
  await Promise.all(workers.map(({ started }) => started));
  const added: TestWorker[] = [];
  platform.onEvent(receive);
  let received = 0;

  /** Passes the event to the running processes in turn. */
  async function receive(event: AccessTokenEventPayload): Promise<void> {
    const running = workers.filter(({ isRunning }) => isRunning);
    received += 1;
    const worker = running[received % running.length];
    await (worker ? worker.receive(event) : receiveEvent(store, client, event));
  }

  return {
    ...world,
    workers,

    /** Starts one more process, which `callAll` does not use. */
    async addWorker(): Promise<TestWorker> {
      const worker = startWorker(setup);
      added.push(worker);
      await worker.started;
      return worker;
    },

    /** Makes the same number of calls in each process. */
    async callAll(plan: CallPlan): Promise<Outcomes> {
      const callers = workers.length === 0 ? [client] : workers;
      return addOutcomes(
        await Promise.all(
          callers.map((caller) =>
            'calls' in caller ? caller.calls(plan) : makeCalls(caller, plan),
          ),
        ),
      );
    },

    async close(): Promise<void> {
      await platform.close();
      await Promise.all([...workers, ...added].map((worker) => worker.end()));
      await client.drain();
      await database.destroy();
    },
  };
}

/** A platform, a database, and four processes that share it. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { sqlite, type TestDatabase } from '@dowel/installation-store/testing';
import { createWorld, type WorldOptions } from '@dowel/token-client/testing';
import type { CallerCommand, CallerSetup } from './caller.ts';
import type { Outcomes } from './make-calls.ts';

export const processes = 4;
const program = new URL('caller.ts', import.meta.url);

async function startCaller(setup: CallerSetup): Promise<ChildProcess> {
  const child = fork(program, [JSON.stringify(setup)], { execArgv: [], stdio: 'inherit' });
  await once(child, 'message');
  return child;
}

/** One command at a time. */
async function ask<Result>(child: ChildProcess, command: CallerCommand): Promise<Result> {
  const answered = once(child, 'message');
  child.send(command);
  const [{ result }] = (await answered) as [{ result: Result }];
  return result;
}

export async function createHerdWorld(options: WorldOptions<TestDatabase>) {
  const world = await createWorld({ database: sqlite, ...options });
  const { database, platform } = world;
  const setup = {
    location: database.location,
    key: Buffer.from(database.encryptionKey).toString('base64'),
    internalOrigins: [platform.origin],
  };
  const start = () => startCaller(setup);
  const [receiver, ...callers] = await Promise.all(Array.from({ length: processes + 1 }, start));
  if (!receiver) throw new Error('There must be a process that receives events');
  platform.onEvent((event) => ask(receiver, { type: 'event', event }));

  return {
    ...world,

    /** Makes the same number of calls in each process. */
    async callAll(installationId: string, count: number): Promise<Outcomes> {
      const plan = { type: 'calls', installationId, count } as const;
      const sum: Outcomes = {};
      for (const counts of await Promise.all(callers.map((child) => ask<Outcomes>(child, plan)))) {
        for (const [outcome, each] of Object.entries(counts)) {
          sum[outcome] = (sum[outcome] ?? 0) + each;
        }
      }
      return sum;
    },

    async close(): Promise<void> {
      await platform.close();
      for (const child of [receiver, ...callers]) {
        child.disconnect();
        await once(child, 'exit');
      }
      await world.client.drain();
      await database.destroy();
    },
  };
}

/**
 * The store as one process sees it: the real one, behind a connection that is slow, fails before or
 * after the work was done, or is cut for a while.
 */
import { type Store, StoreError, type Stores } from '@dowel/installation-store';
import type { DatabaseLink } from './database-link.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import type { Simulation } from './simulation.ts';

type Method = (...parameters: never[]) => Promise<unknown>;
type Perform = (
  method: string,
  parameters: readonly unknown[],
  work: () => Promise<unknown>,
) => Promise<unknown>;

export function createProcessStore(
  simulation: Simulation,
  process: SimulatedProcess,
  link: DatabaseLink,
): Store {
  const { store, witness, disk } = link;
  const { scheduler, random, climate, count, log } = simulation;

  /** Runs the step after the climate's delay; at once if there is none. */
  function later(step: () => void): void {
    const { storeDelayMs } = climate();
    if (storeDelayMs === null) step();
    else scheduler.after(random.next() * storeDelayMs, step);
  }

  const perform: Perform = (method, parameters, work) => {
    if (!process.isAlive) return new Promise(() => {});
    const { fails, outcomeLost } = climate().store;
    link.asked(process, method, parameters);
    return new Promise((resolve, reject) => {
      function answer(settle: () => void): void {
        later(() => {
          process.cross();
          process.resume(settle);
        });
      }

      function deny(): void {
        process.troubledAt = scheduler.now();
        answer(() => reject(unavailable()));
      }

      function reach(): void {
        if (link.isAwayFrom(process) || random.chance(fails)) {
          log(process.name, `✗ ${method}: the database is away`);
          deny();
          return;
        }
        // The last write of a dying process may or may not arrive.
        if (!process.isAlive && random.chance(0.5)) return;
        link.act(process);
        const isOutcomeLost = random.chance(outcomeLost);
        void scheduler.track(work()).then(
          (result) => {
            witness(process, method, parameters, result);
            if (isOutcomeLost) {
              count('database: outcome lost');
              log(process.name, `✗ ${method}: done, but the answer is lost`);
              deny();
            } else if (isRead(method)) answer(() => resolve(result));
            else disk.sync(() => answer(() => resolve(result)));
          },
          (error: unknown) => answer(() => reject(error)),
        );
      }

      process.cross();
      if (process.isAlive) later(reach);
    });
  };

  const observe: Perform = async (method, parameters, work) => {
    const result = await work();
    witness(process, method, parameters, result);
    return result;
  };

  return {
    ...store,
    ...wrapStores(store, perform),
    transaction: <Result>(work: (stores: Stores) => Promise<Result>) =>
      perform('transaction', [], () =>
        store.transaction((stores) => work(wrapStores(stores, observe))),
      ) as Promise<Result>,
    onChange: (listener) => link.listen(process, listener),
  };
}

function wrapStores(stores: Stores, perform: Perform): Stores {
  const wrapped: Record<string, object> = {};
  for (const name of storeNames) {
    const part = stores[name] as unknown as Record<string, Method>;
    wrapped[name] = Object.fromEntries(
      Object.entries(part).map(([method, run]) => [
        method,
        (...parameters: never[]) =>
          perform(`${name}.${method}`, parameters, () => run(...parameters)),
      ]),
    );
  }
  return { ...stores, ...wrapped };
}

/** Everything else waits for the disk, even a transaction that only reads. */
function isRead(method: string): boolean {
  return /\.(?:find|get|load)/.test(method);
}

const storeNames = ['installations', 'grants', 'renewals', 'inbox', 'events'] as const;

function unavailable(): StoreError {
  return new StoreError('DATABASE_UNAVAILABLE', 'The simulated database is away');
}

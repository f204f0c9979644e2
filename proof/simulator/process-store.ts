/**
 * The store as one process sees it: the real one, behind a connection that is slow, fails before or
 * after the work was done, or is cut for a while.
 */
import { type Store, StoreError, type Stores } from '@dowel/installation-store';
import type { Climate } from './climate.ts';
import type { DatabaseLink } from './database-link.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import type { Simulation } from './simulation.ts';

type Method = (...parameters: never[]) => Promise<unknown>;
type Perform = (
  method: string,
  parameters: readonly unknown[],
  work: () => Promise<unknown>,
) => Promise<unknown>;

interface Context {
  simulation: Simulation;
  process: SimulatedProcess;
  link: DatabaseLink;
}

/** A call of the store by the process, with the functions that settle its promise. */
interface StoreCall {
  method: string;
  parameters: readonly unknown[];
  work: () => Promise<unknown>;
  /** The probabilities at the time when the call began. */
  odds: Climate['store'];
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

export function createProcessStore(
  simulation: Simulation,
  process: SimulatedProcess,
  link: DatabaseLink,
): Store {
  const context: Context = { simulation, process, link };
  const { store, witness } = link;
  const perform: Perform = (method, parameters, work) =>
    callStore(context, { method, parameters, work });
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

/** Never settles in a dead process. */
function callStore(
  context: Context,
  { method, parameters, work }: Pick<StoreCall, 'method' | 'parameters' | 'work'>,
): Promise<unknown> {
  const { simulation, process, link } = context;
  if (!process.isAlive) return new Promise(() => {});
  const odds = simulation.climate().store;
  link.asked(process, method, parameters);
  return new Promise((resolve, reject) => {
    process.cross();
    if (!process.isAlive) return;
    later(context, () => reach(context, { method, parameters, work, odds, resolve, reject }));
  });
}

/** Runs the step after the climate's delay; at once if there is none. */
function later({ simulation }: Context, step: () => void): void {
  const { storeDelayMs } = simulation.climate();
  if (storeDelayMs === null) step();
  else simulation.scheduler.after(simulation.random.next() * storeDelayMs, step);
}

/** Passes the call to the database, unless the connection is cut. */
function reach(context: Context, call: StoreCall): void {
  const { simulation, process, link } = context;
  const { random, scheduler, log } = simulation;
  const { fails, outcomeLost } = call.odds;
  if (link.isAwayFrom(process) || random.chance(fails)) {
    log(process.name, `✗ ${call.method}: the database is away`);
    deny(context, call);
    return;
  }
  // The last write of a dying process may or may not arrive.
  if (!process.isAlive && random.chance(0.5)) return;
  link.act(process);
  const isOutcomeLost = random.chance(outcomeLost);
  void scheduler.track(call.work()).then(
    (result) => finish(context, call, { result, isOutcomeLost }),
    (error: unknown) => answer(context, () => call.reject(error)),
  );
}

function finish(
  context: Context,
  call: StoreCall,
  { result, isOutcomeLost }: { result: unknown; isOutcomeLost: boolean },
): void {
  const { simulation, process, link } = context;
  const { method, parameters, resolve } = call;
  link.witness(process, method, parameters, result);
  if (isOutcomeLost) {
    simulation.count('database: outcome lost');
    simulation.log(process.name, `✗ ${method}: done, but the answer is lost`);
    deny(context, call);
  } else if (isRead(method)) answer(context, () => resolve(result));
  else link.disk.sync(() => answer(context, () => resolve(result)));
}

function deny(context: Context, { reject }: StoreCall): void {
  const { simulation, process } = context;
  process.troubledAt = simulation.scheduler.now();
  answer(context, () => reject(unavailable()));
}

function answer(context: Context, settle: () => void): void {
  const { process } = context;
  later(context, () => {
    process.cross();
    process.resume(settle);
  });
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

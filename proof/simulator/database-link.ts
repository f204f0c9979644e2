/** The connections of the processes of one history to their database, and the changes that each receives. */
import type { Store, StoreListener } from '@dowel/installation-store';
import { createDisk } from './disk.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import type { Simulation } from './simulation.ts';

/** Called at the moment when the store has executed a method. */
export type StoreWitness = (
  process: SimulatedProcess,
  method: string,
  parameters: readonly unknown[],
  result: unknown,
) => void;

/** The calls that inform the checks about a process and the database. */
export interface LinkWitness {
  /** The process calls a method of the store. */
  asked(process: SimulatedProcess, method: string, parameters: readonly unknown[]): void;
  /** The store has executed the method. */
  witness: StoreWitness;
  /** The process is notified that tokens or the generation of an installation have changed. */
  heard(process: SimulatedProcess, installationId: string): void;
}

export type DatabaseLink = ReturnType<typeof createDatabaseLink>;

/** The maximum delay of announcements to other processes, while the database is available. */
const maxLateMs = { usual: 100, late: 2_000 };
/** The interval at which a disconnected process looks for missed changes. */
const lookMs = 1_000;

interface Context {
  simulation: Simulation;
  heard: LinkWitness['heard'];
  listeners: Map<SimulatedProcess, Set<StoreListener>>;
  /** Undefined process: all of them. */
  cuts: { process: SimulatedProcess | undefined; until: number }[];
  /** The process whose work runs; it receives its changes at once. */
  actor: SimulatedProcess | undefined;
}

export function createDatabaseLink(
  simulation: Simulation,
  store: Store,
  { asked, witness, heard }: LinkWitness,
) {
  const context: Context = {
    simulation,
    heard,
    listeners: new Map(),
    cuts: [],
    actor: undefined,
  };
  return {
    store,
    asked,
    witness,
    disk: createDisk(simulation),

    /** The process whose work runs; it receives its changes at once. */
    act(process: SimulatedProcess): void {
      context.actor = process;
    },

    listen: (process: SimulatedProcess, listener: StoreListener) =>
      listen(context, process, listener),

    /** @param process undefined: all of them. */
    cut(process: SimulatedProcess | undefined, ms: number): void {
      context.cuts.push({ process, until: simulation.scheduler.now() + ms });
    },

    restore: () => context.cuts.splice(0),

    isAwayFrom: (process: SimulatedProcess) => isAwayFrom(context, process),

    close: store.onChange((...change) => announce(context, change)),
  };
}

function listen(
  { listeners }: Context,
  process: SimulatedProcess,
  listener: StoreListener,
): () => void {
  const own = listeners.get(process) ?? new Set();
  listeners.set(process, own.add(listener));
  return () => own.delete(listener);
}

function announce(context: Context, change: Parameters<StoreListener>): void {
  const { simulation, listeners, heard, actor } = context;
  const { random, climate } = simulation;
  const [installationId, ofTokens] = change;
  // The end of a history clears the log.
  if (installationId === null) return;
  for (const [process, own] of listeners) {
    const tell = () => {
      if (ofTokens) heard(process, installationId);
      for (const listener of own) listener(...change);
    };
    if (process === actor) process.resume(tell);
    else
      tellLater(context, process, {
        tell,
        inMs: random.next() * maxLateMs[climate().announcements],
      });
  }
}

function tellLater(
  context: Context,
  process: SimulatedProcess,
  { tell, inMs }: { tell: () => void; inMs: number },
): void {
  context.simulation.scheduler.after(inMs, () => {
    if (isAwayFrom(context, process)) tellLater(context, process, { tell, inMs: lookMs });
    else process.resume(tell);
  });
}

function isAwayFrom({ simulation, cuts }: Context, process: SimulatedProcess): boolean {
  const now = simulation.scheduler.now();
  return cuts.some((cut) => now < cut.until && (cut.process ?? process) === process);
}

/** The connections of the processes of one history to their database, and the changes that each receives. */
import type { Store, StoreListener } from '@dowel/installation-store';
import { createDisk } from './disk.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import type { Simulation } from './simulation.ts';

/** Hears what the store did, at the moment when it did it. */
export type StoreWitness = (
  process: SimulatedProcess,
  method: string,
  parameters: readonly unknown[],
  result: unknown,
) => void;

/** What the checks hear of a process and the database. */
export interface LinkWitness {
  /** The process asks the store for something. */
  asked(process: SimulatedProcess, method: string, parameters: readonly unknown[]): void;
  /** The store has done it. */
  witness: StoreWitness;
  /** The process hears that tokens or the life of an installation have changed. */
  heard(process: SimulatedProcess, installationId: string): void;
}

export type DatabaseLink = ReturnType<typeof createDatabaseLink>;

/** How late announcements to other processes are at most, while the database is available. */
const maxLateMs = { usual: 100, late: 2_000 };
/** How often a process that is cut off looks for what it missed. */
const lookMs = 1_000;

export function createDatabaseLink(
  simulation: Simulation,
  store: Store,
  { asked, witness, heard }: LinkWitness,
) {
  const { scheduler, random, climate } = simulation;
  const listeners = new Map<SimulatedProcess, Set<StoreListener>>();
  const cuts: { process: SimulatedProcess | undefined; until: number }[] = [];
  let actor: SimulatedProcess | undefined;

  const stopListening = store.onChange((...change) => {
    const [installationId, ofTokens] = change;
    // The end of a history clears the log.
    if (installationId === null) return;
    for (const [process, own] of listeners) {
      const tell = () => {
        if (ofTokens) heard(process, installationId);
        for (const listener of own) listener(...change);
      };
      if (process === actor) process.resume(tell);
      else tellLater(process, tell, random.next() * maxLateMs[climate().announcements]);
    }
  });

  function tellLater(process: SimulatedProcess, tell: () => void, ms: number): void {
    scheduler.after(ms, () => {
      if (isAwayFrom(process)) tellLater(process, tell, lookMs);
      else process.resume(tell);
    });
  }

  const isAwayFrom = (process: SimulatedProcess) =>
    cuts.some(
      (cut) =>
        scheduler.now() < cut.until && (cut.process === undefined || cut.process === process),
    );

  return {
    store,
    asked,
    witness,
    disk: createDisk(simulation),

    /** The process whose work runs; it receives its changes at once. */
    act(process: SimulatedProcess): void {
      actor = process;
    },

    listen(process: SimulatedProcess, listener: StoreListener): () => void {
      const own = listeners.get(process) ?? new Set();
      listeners.set(process, own.add(listener));
      return () => own.delete(listener);
    },

    /** @param process undefined: all of them. */
    cut(process: SimulatedProcess | undefined, ms: number): void {
      cuts.push({ process, until: scheduler.now() + ms });
    },

    restore: () => cuts.splice(0),

    isAwayFrom,

    close: stopListening,
  };
}

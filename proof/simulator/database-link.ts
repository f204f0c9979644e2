/** The connections of the processes of one history to their database, and the changes that each receives. */
import type { Store } from '@dowel/installation-store';
import type { SimulatedProcess } from './simulated-process.ts';
import type { Simulation } from './simulation.ts';

/** Hears what the store did, at the moment when it did it. */
export type StoreWitness = (
  process: SimulatedProcess,
  method: string,
  parameters: readonly unknown[],
  result: unknown,
) => void;

type Listener = (installationId: string) => void;

export type DatabaseLink = ReturnType<typeof createDatabaseLink>;

/** Announcements to other processes are this late at most, and half of them are lost. */
const maxLateMs = 2_000;

export function createDatabaseLink(
  { scheduler, random, climate }: Simulation,
  store: Store,
  witness: StoreWitness,
) {
  const listeners = new Map<SimulatedProcess, Set<Listener>>();
  const cuts: { process: SimulatedProcess | undefined; until: number }[] = [];
  let actor: SimulatedProcess | undefined;

  const stopListening = store.onChange((installationId) => {
    for (const [process, own] of listeners) {
      const log = () => {
        for (const listener of own) listener(installationId);
      };
      if (process === actor) process.resume(log);
      else if (climate().announcements === 'late' && random.chance(0.5)) {
        scheduler.after(random.next() * maxLateMs, () => process.resume(log));
      }
    }
  });

  return {
    store,
    witness,

    /** The process whose work runs; it receives its changes at once. */
    act(process: SimulatedProcess): void {
      actor = process;
    },

    listen(process: SimulatedProcess, listener: Listener): () => void {
      const own = listeners.get(process) ?? new Set();
      listeners.set(process, own.add(listener));
      return () => own.delete(listener);
    },

    /** @param process undefined: all of them. */
    cut(process: SimulatedProcess | undefined, ms: number): void {
      cuts.push({ process, until: scheduler.now() + ms });
    },

    restore: () => cuts.splice(0),

    isAwayFrom: (process: SimulatedProcess) =>
      cuts.some(
        (cut) =>
          scheduler.now() < cut.until && (cut.process === undefined || cut.process === process),
      ),

    close: stopListening,
  };
}

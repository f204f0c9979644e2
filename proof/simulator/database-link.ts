/** The connections of one history's processes to their database, and what they are told of changes. */
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
      const tell = () => {
        for (const listener of own) listener(installationId);
      };
      if (process === actor) process.resume(tell);
      else if (climate().announcements === 'late' && random.chance(0.5)) {
        scheduler.after(random.next() * maxLateMs, () => process.resume(tell));
      }
    }
  });

  return {
    store,
    witness,

    /** Whose work is done now, and who hears of it at once. */
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

    mend: () => cuts.splice(0),

    isAwayFrom: (process: SimulatedProcess) =>
      cuts.some(
        (cut) =>
          scheduler.now() < cut.until && (cut.process === undefined || cut.process === process),
      ),

    close: stopListening,
  };
}

/** Runs histories one after the other, on their own database. */
import { openSimulatedDatabase } from './database.ts';
import { type History, runHistory } from './history.ts';
import { addCounts, type Counts, noCounts } from './situations.ts';

/** Seeds, both ends included. */
export interface Batch {
  from: number;
  to: number;
}

export interface BatchReport {
  counts: Counts;
  /** The first history that broke a promise. */
  broken: History | undefined;
}

export async function createBatchRunner() {
  // Histories end in thousands of errors, and no reader needs their stacks.
  Error.stackTraceLimit = 0;
  const database = await openSimulatedDatabase();

  return {
    async run({ from, to }: Batch): Promise<BatchReport> {
      const counts = noCounts();
      for (let seed = from; seed <= to; seed += 1) {
        const history = await runHistory(seed, database);
        addCounts(counts, history.counts);
        if (history.violation) return { counts, broken: history };
      }
      return { counts, broken: undefined };
    },

    close: () => database.close(),
  };
}

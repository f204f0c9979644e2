/** Tests the checks: each fault that is added to the product is found. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSimulatedDatabase, type SimulatedDatabase } from './database.ts';
import { runHistory } from './history.ts';
import { mutations } from './mutations.ts';

const maxHistories = 1_000;

let database: SimulatedDatabase;

beforeAll(async () => {
  database = await openSimulatedDatabase();
});
afterAll(() => database.close());

test.each(Object.entries(mutations))(
  `X2: it is found within ${maxHistories} histories that %s`,
  async (_, mutation) => {
    let found: string | undefined;
    for (let seed = 1; seed <= maxHistories && found === undefined; seed += 1) {
      found = (await runHistory(seed, database, mutation)).violation?.rule;
    }

    expect(found).toBeDefined();
    if (mutation.breaks !== undefined) expect(found).toBe(mutation.breaks);
  },
  600_000,
);

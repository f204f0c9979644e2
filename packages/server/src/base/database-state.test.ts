import { StoreError } from '@dowel/installation-store';
import { expect, test } from 'vitest';
import { canServe, checkDatabase, createDatabaseState } from './database-state.ts';

const logger = { info() {}, error() {} };

test.each([
  ['database_busy', true],
  ['database_unreachable', false],
] as const)(
  'a check that fails with %s leaves the database available: %s',
  async (reason, isAvailable) => {
    const database = createDatabaseState();
    const busy = new StoreError('DATABASE_UNAVAILABLE', 'no slot', { reason });
    const store = { assertAvailable: () => Promise.reject(busy) };

    await checkDatabase({ store, database, logger });

    expect(database.isAvailable).toBe(isAvailable);
    expect(canServe(database, 0)).toBe(isAvailable);
  },
);

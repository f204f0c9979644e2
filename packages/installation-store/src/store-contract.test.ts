import {
  type CheckedTokenStore,
  type ContractContext,
  storeContract,
  tokenStoreContract,
} from '@dowel/installation-store/contract';
import { createMemoryStore } from '@dowel/token-client';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type TestDatabase, testDatabases } from './testing/index.ts';

for (const { name, isAvailable, create } of testDatabases) {
  describe.skipIf(!isAvailable)(`a store on ${name}`, () => {
    let database: TestDatabase;
    let context: ContractContext;

    beforeAll(async () => {
      database = await create();
      context = {
        store: await database.open(),
        other: await database.open(),
        shiftClock: database.shiftClock,
        dump: database.dump,
      };
    });

    afterAll(() => database.destroy());

    test.for(storeContract)('$title', ({ run }) => run(context));
  });
}

describe('a token store in memory', () => {
  let aheadMs = 0;
  const store = createMemoryStore({ now: () => Date.now() + aheadMs });
  const context: ContractContext<CheckedTokenStore> = {
    store,
    other: store,
    async shiftClock(ms) {
      aheadMs += ms;
    },
    dump: async () => '',
  };

  test.for(tokenStoreContract)('$title', ({ run }) => run(context));
});

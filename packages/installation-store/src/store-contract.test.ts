import { type ContractContext, storeContract } from '@dowel/installation-store/contract';
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

import {
  type CheckedTokenStore,
  type ContractContext,
  tokenStoreContract,
} from '@dowel/installation-store/contract';
import { createMemoryStore } from '@dowel/token-client';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { accountChecks } from './contract/account-checks.ts';
import { alertChecks } from './contract/alert-checks.ts';
import { backEndChecks } from './contract/back-end-checks.ts';
import { callChecks } from './contract/call-checks.ts';
import { callLogChecks } from './contract/call-log-checks.ts';
import { conditionChecks } from './contract/condition-checks.ts';
import { deliveryChecks } from './contract/delivery-checks.ts';
import { hookChecks } from './contract/hook-checks.ts';
import { installationChecks } from './contract/installation-checks.ts';
import { instanceChecks } from './contract/instance-checks.ts';
import { keyLocationChecks } from './contract/key-location-checks.ts';
import { lifeChecks } from './contract/life-checks.ts';
import { moveChecks } from './contract/move-checks.ts';
import { operatorChecks } from './contract/operator-checks.ts';
import { parkedHookChecks } from './contract/parked-hook-checks.ts';
import { pauseChecks } from './contract/pause-checks.ts';
import { receptionChecks } from './contract/reception-checks.ts';
import { reportChecks } from './contract/report-checks.ts';
import { runChecks } from './contract/run-checks.ts';
import { sampleChecks } from './contract/sample-checks.ts';
import { sessionChecks } from './contract/session-checks.ts';
import { shapeChecks } from './contract/shape-checks.ts';
import { transactionChecks } from './contract/transaction-checks.ts';
import { uninstallChecks } from './contract/uninstall-checks.ts';
import { usabilityChecks } from './contract/usability-checks.ts';
import { type TestDatabase, testDatabases } from './testing/index.ts';

/** Each can use the database of the others, but not at the same time. */
const storeChecks = [
  ...installationChecks,
  ...uninstallChecks,
  ...lifeChecks,
  ...instanceChecks,
  ...tokenStoreContract,
  ...receptionChecks,
  ...sessionChecks,
  ...accountChecks,
  ...keyLocationChecks,
  ...reportChecks,
  ...callChecks,
  ...callLogChecks,
  ...conditionChecks,
  ...hookChecks,
  ...parkedHookChecks,
  ...usabilityChecks,
  ...pauseChecks,
  ...operatorChecks,
  ...sampleChecks,
  ...deliveryChecks,
  ...shapeChecks,
  ...alertChecks,
  ...runChecks,
  ...backEndChecks,
  ...transactionChecks,
  // They move the clock by hours.
  ...moveChecks,
];

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

    test.for(storeChecks)('$title', ({ run }) => run(context));
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

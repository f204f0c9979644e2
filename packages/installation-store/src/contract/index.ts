/**
 * The contract of every store as a list of checks, for the authors of other stores. Run each as a test, with
 * any test runner:
 *
 * ```ts
 * for (const { title, run } of storeContract) test(title, () => run(context));
 * ```
 */

import { accountChecks } from './account-checks.ts';
import { alertChecks } from './alert-checks.ts';
import { backEndChecks } from './back-end-checks.ts';
import type { ContractCheck, TokenCheck } from './check.ts';
import { conditionChecks } from './condition-checks.ts';
import { doubtChecks } from './doubt-checks.ts';
import { exchangeChecks } from './exchange-checks.ts';
import { grantChecks } from './grant-checks.ts';
import { hookChecks } from './hook-checks.ts';
import { installationChecks } from './installation-checks.ts';
import { instanceChecks } from './instance-checks.ts';
import { keyLocationChecks } from './key-location-checks.ts';
import { leaseChecks } from './lease-checks.ts';
import { lifeChecks, tokenLifeChecks } from './life-checks.ts';
import { moveChecks } from './move-checks.ts';
import { operatorChecks } from './operator-checks.ts';
import { parkedHookChecks } from './parked-hook-checks.ts';
import { pauseChecks, tokenPauseChecks } from './pause-checks.ts';
import { receptionChecks } from './reception-checks.ts';
import { refusalChecks } from './refusal-checks.ts';
import { reportChecks } from './report-checks.ts';
import { runChecks } from './run-checks.ts';
import { sampleChecks } from './sample-checks.ts';
import { sessionChecks } from './session-checks.ts';
import { shapeChecks } from './shape-checks.ts';
import { tokenTransactionChecks, transactionChecks } from './transaction-checks.ts';
import { triggerChecks } from './trigger-checks.ts';
import { uninstallChecks } from './uninstall-checks.ts';
import { usabilityChecks } from './usability-checks.ts';

export type { CheckedTokenStore, ContractCheck, ContractContext, TokenCheck } from './check.ts';

/** What the token client needs of its store: `createMemoryStore` of `@dowel/token-client` keeps this part. */
export const tokenStoreContract: readonly TokenCheck[] = [
  ...tokenLifeChecks,
  ...grantChecks,
  ...leaseChecks,
  ...exchangeChecks,
  ...triggerChecks,
  ...doubtChecks,
  ...tokenPauseChecks,
  ...tokenTransactionChecks,
];

/** The checks, independent of each other. Each has a `title`, and a `run` that rejects if the store breaks the contract. */
export const storeContract: readonly ContractCheck[] = [
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
  ...conditionChecks,
  ...hookChecks,
  ...parkedHookChecks,
  ...usabilityChecks,
  ...pauseChecks,
  ...operatorChecks,
  ...sampleChecks,
  ...refusalChecks,
  ...shapeChecks,
  ...alertChecks,
  ...runChecks,
  ...backEndChecks,
  ...transactionChecks,
  // They move the clock by hours.
  ...moveChecks,
];

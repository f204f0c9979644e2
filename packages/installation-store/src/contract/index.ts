/**
 * What the token client needs of its store, as a list of checks, independent of each other, for the authors of other
 * stores: `createMemoryStore` of `@dowel/token-client` keeps it, too. Each check has a `title`, and a `run` that rejects if
 * the store breaks the contract. Run each as a test, with any test runner:
 *
 * ```ts
 * for (const { title, run } of tokenStoreContract) test(title, () => run(context));
 * ```
 */
import type { TokenCheck } from './check.ts';
import { doubtChecks } from './doubt-checks.ts';
import { exchangeChecks } from './exchange-checks.ts';
import { grantChecks } from './grant-checks.ts';
import { leaseChecks } from './lease-checks.ts';
import { tokenLifeChecks } from './life-checks.ts';
import { tokenPauseChecks } from './pause-checks.ts';
import { tokenTransactionChecks } from './transaction-checks.ts';
import { triggerChecks } from './trigger-checks.ts';

export type { CheckedTokenStore, ContractCheck, ContractContext, TokenCheck } from './check.ts';

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

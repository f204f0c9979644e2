/** All checks, in the order of reports. */
import type { Check } from '../check.ts';
import { callChecks } from './call-checks.ts';
import { exchangeChecks } from './exchange-checks.ts';
import { manifestChecks } from './manifest-checks.ts';
import { orderChecks } from './order-checks.ts';
import { pageChecks } from './page-checks.ts';
import { receptionChecks } from './reception-checks.ts';
import { refreshChecks } from './refresh-checks.ts';
import { refusalChecks } from './refusal-checks.ts';
import { tenantChecks } from './tenant-checks.ts';
import { triggerChecks } from './trigger-checks.ts';
import { watchChecks } from './watch-checks.ts';

export const checks: readonly Check[] = [
  ...manifestChecks,
  ...pageChecks,
  ...receptionChecks,
  ...refusalChecks,
  ...exchangeChecks,
  ...orderChecks,
  ...callChecks,
  ...refreshChecks,
  ...triggerChecks,
  ...tenantChecks,
  ...watchChecks,
];

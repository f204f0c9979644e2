/**
 * How often one operator, in all sessions, may do what leaves a row in the database each time, or sends a message. Row
 * F30 of docs/threats.md.
 */
import type { OperatorIdentity } from '@dowel/admin-api';
import { ApiError } from '../base/errors.ts';
import {
  countAttempt,
  createFailureCounter,
  type FailureCounter,
  windowMs,
} from './failure-limits.ts';

/** In a quarter of an hour, at one process. */
const limits = { 'sign-in': 30, export: 20, 'test-alerts': 10 } as const;

type LimitedWork = keyof typeof limits;

export type OperatorLimits = Record<LimitedWork, FailureCounter>;

/** Creates the counters of this process, which start empty. */
export function createOperatorLimits(now: () => number): OperatorLimits {
  const counterOf = (work: LimitedWork) => createFailureCounter(limits[work], now);
  return {
    'sign-in': counterOf('sign-in'),
    export: counterOf('export'),
    'test-alerts': counterOf('test-alerts'),
  };
}

/** @throws ApiError `TOO_MANY_ATTEMPTS` */
export function limitOperator(
  counters: OperatorLimits,
  work: LimitedWork,
  identity: OperatorIdentity,
): void {
  if (countAttempt({ counter: counters[work], key: JSON.stringify(identity) })) return;
  throw new ApiError('TOO_MANY_ATTEMPTS', `You have done this ${limits[work]} times: wait`, {
    headers: { 'Retry-After': String(windowMs / 1000) },
  });
}

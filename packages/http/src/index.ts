/** Outgoing requests that cannot reach this process's own network, and bodies with a limit. */
export {
  AddressNotAllowedError,
  createGuardedFetch,
  type GuardedFetchOptions,
} from './guarded-fetch.ts';
export { BodyTooLargeError, boundBody, readBounded } from './read-bounded.ts';
export { checkTarget, type TargetProblem } from './request-target.ts';
export { parseRetryAfter } from './retry-after.ts';

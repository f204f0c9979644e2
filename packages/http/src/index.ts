/** Outgoing HTTP requests that cannot reach this process's own network. */
export {
  AddressNotAllowedError,
  createGuardedFetch,
  type GuardedFetchOptions,
} from './guarded-fetch.ts';

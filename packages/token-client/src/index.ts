/** The tokens of one installation: exchange, one refresh over all processes, trigger, recovery. */
export {
  type Acceptance,
  type AcceptEventOptions,
  type Accepted,
  codeDigestOf,
  exchangeTimeoutMs,
} from './accept-event.ts';
export type { CallEntries, CallEntry, CallSource, TakenEntries } from './call-entries.ts';
export type { CallRecord, CallRecords, ChangedCalls } from './call-records.ts';
export type { CallInit } from './call-request.ts';
export type { CallCounts } from './call-tally.ts';
export { TokenClientError, type TokenClientErrorCode } from './errors.ts';
export { createMemoryStore, type MemoryStore, type MemoryStores } from './memory-store.ts';
export type { TokenObservation } from './observation.ts';
export type { AskOutcome, ConnectionTest } from './operator-requests.ts';
export { defaultPolicy, type TokenPolicy } from './policy.ts';
export { type Clocks, type Moment, momentOf, remainingMs } from './remaining-time.ts';
export {
  type AccessToken,
  createTokenClient,
  type TokenClient,
  type TokenClientOptions,
  type WaitOptions,
} from './token-client.ts';
export { TokenRequestError } from './token-request-error.ts';
export {
  type ApplyChange,
  type BrokenChange,
  type BrokenInstallations,
  type ClientAccess,
  type EventOrder,
  type ExchangeEnding,
  type ExchangeIntent,
  type FailedRefresh,
  type FailingGrant,
  type Grant,
  type GrantStore,
  type GrantVersion,
  type InstallationLife,
  type Lease,
  type LeaseOutcome,
  type LeaseRequest,
  type LossListener,
  longestLeaseMs,
  longestPauseMs,
  type RecoveredChange,
  type RenewalStore,
  type RequestFailure,
  type StoredVersion,
  type StoreListener,
  type TokenHistory,
  type TokenOperationEntry,
  type TokenSet,
  type TokenStore,
  type TokenStoreError,
  type TokenStores,
  type TransactionOptions,
  type TriggerClaim,
} from './token-store.ts';
export { isUnsent } from './unsent-request.ts';

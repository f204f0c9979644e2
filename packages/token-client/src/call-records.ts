/**
 * What the calls of this process met, for each installation: in memory, without a query. A success costs the write of a
 * number.
 */
import type { Timer } from '@dowel/http';
import type { CallReason } from '@dowel/schema';
import { LRUCache } from 'lru-cache';
import type { CallEntryLog, StartedCall } from './call-entries.ts';
import type { CallTally } from './call-tally.ts';
import { isDatabaseAway, TokenClientError } from './errors.ts';
import type { TokenPolicy } from './policy.ts';
import type { Grant, TokenStore } from './token-store.ts';
import { faultOf } from './unsent-request.ts';

/** The calls of one installation. Times in epoch milliseconds; 0: never. */
export interface CallRecord {
  lastSuccessAt: number;
  /** Failures since the last success, and the time of the first of them. */
  failures: number;
  failingSince: number;
  lastFailureAt: number;
  /** Of the newest failure. */
  reason: CallReason | null;
  /** The platform's status of the newest failure; null: it was another failure. */
  status: number | null;
  /** The next success is reported. */
  isSuccessAwaited: boolean;
  /** From then on, a success is a sample for the log of calls. */
  nextSampleAt: number;
}

export interface ChangedCalls {
  /** With a failure. */
  failed: string[];
  /** With a success that was awaited. */
  succeeded: string[];
}

/** The records of one token client. */
export interface CallRecords {
  /** Undefined: no call of this process has ended, or others were made after it. */
  get(installationId: string): Readonly<CallRecord> | undefined;
  /** The installations that changed since the last time that they were taken. */
  takeChanged(): ChangedCalls;
  /** From now on, the next success of each is reported. */
  awaitSuccess(installationIds: readonly string[]): void;
}

export interface CallRecordLog extends CallRecords {
  /** True: it is a sample for the log of calls, at most one per minute. */
  success(installationId: string): boolean;
  failure(installationId: string, reason: CallReason, status?: number): void;
}

/** So many failures in a row are reported at once. */
const failuresInARow = 3;
const sampleEveryMs = 60_000;

interface RecordsOptions {
  policy: Pick<TokenPolicy, 'maxGrants'>;
  now: () => number;
  onCalls: () => void;
}

export function createCallRecords({ policy, now, onCalls }: RecordsOptions): CallRecordLog {
  // `max` would reserve all space at once.
  const records = new LRUCache<string, CallRecord>({
    maxSize: policy.maxGrants,
    sizeCalculation: () => 1,
  });
  let failed = new Set<string>();
  let succeeded = new Set<string>();
  const recordOf = (installationId: string): CallRecord => {
    const known = records.get(installationId);
    if (known) return known;
    const record = createRecord();
    records.set(installationId, record);
    return record;
  };
  return {
    get: (installationId) => records.peek(installationId),
    takeChanged() {
      const taken = { failed: [...failed], succeeded: [...succeeded] };
      failed = new Set();
      succeeded = new Set();
      return taken;
    },
    awaitSuccess(installationIds) {
      for (const id of installationIds) recordOf(id).isSuccessAwaited = true;
    },
    success(installationId) {
      const record = recordOf(installationId);
      record.lastSuccessAt = now();
      record.failures = 0;
      if (record.isSuccessAwaited) {
        record.isSuccessAwaited = false;
        succeeded.add(installationId);
        onCalls();
      }
      if (record.lastSuccessAt < record.nextSampleAt) return false;
      record.nextSampleAt = record.lastSuccessAt + sampleEveryMs;
      return true;
    },
    failure(installationId, reason, status) {
      const record = recordOf(installationId);
      record.lastFailureAt = now();
      if (record.failures === 0) record.failingSince = record.lastFailureAt;
      record.failures += 1;
      record.reason = reason;
      record.status = status ?? null;
      // Somebody may never take them.
      if (failed.size < policy.maxGrants) failed.add(installationId);
      if (record.failures === failuresInARow) onCalls();
    },
  };
}

function createRecord(): CallRecord {
  return {
    lastSuccessAt: 0,
    failures: 0,
    failingSince: 0,
    lastFailureAt: 0,
    reason: null,
    status: null,
    isSuccessAwaited: false,
    nextSampleAt: 0,
  };
}

interface Logs {
  calls: CallRecordLog;
  entries: CallEntryLog;
  tally: CallTally;
  timer: Timer;
}

/** Records an answer. A 401 is recorded by the caller, who knows whether the token is at fault. */
export function recordAnswer(
  logs: Logs,
  call: StartedCall,
  { response, grant }: { response: Response; grant: Grant },
): void {
  if (response.status >= 400) {
    recordFailure(logs, call, { response, grant, reason: reasonOfAnswer(response) });
    return;
  }
  logs.tally.count('succeeded', logs.timer.monotonic() - call.startedAt);
  if (logs.calls.success(call.installationId)) logs.entries.add(call, { reason: null, response });
}

/** The fault of the call itself is logged, but does not count against the tenant. */
export function recordFailure(
  { calls, entries, tally, timer }: Logs,
  call: StartedCall,
  { response, grant, reason }: { response: Response; grant: Grant; reason: CallReason },
): void {
  const isOfCall = reason === 'platform_4xx';
  if (!isOfCall) calls.failure(call.installationId, reason, response.status);
  tally.count(isOfCall ? 'refused' : 'failed', timer.monotonic() - call.startedAt);
  entries.add(call, { reason, response, secrets: [grant.accessToken.reveal()] });
}

function reasonOfAnswer({ status, headers }: Response): CallReason {
  if (status >= 500) return 'platform_5xx';
  if (status === 429) return 'platform_429';
  return status === 403 && lacksScope(headers) ? 'scope_missing' : 'platform_4xx';
}

/** RFC 6750 §3.1. */
function lacksScope(headers: Headers): boolean {
  return headers.get('www-authenticate')?.includes('insufficient_scope') === true;
}

/** Records a call without an answer, unless it says nothing about the platform. */
export function recordNoAnswer(
  { calls, entries, tally, timer, store }: Logs & { store: Pick<TokenStore, 'isAway'> },
  call: StartedCall,
  { error, signal }: { error: unknown; signal: AbortSignal | null | undefined },
): void {
  const reason = reasonOf(error, signal);
  if (!reason) return;
  // The time may have passed in a wait for the database.
  if (reason !== 'platform_unreachable' && store.isAway?.() === true) return;
  calls.failure(call.installationId, reason);
  tally.count('failed', timer.monotonic() - call.startedAt);
  const fault = reason === 'platform_unreachable' ? faultOf(error).code : undefined;
  entries.add(call, { reason, fault });
}

function reasonOf(error: unknown, signal: AbortSignal | null | undefined): CallReason | undefined {
  if (signal?.aborted) return isTimeout(signal) ? 'timed_out' : undefined;
  if (error instanceof TokenClientError) return reasonOfCode(error);
  if (!(error instanceof Error) || isDatabaseAway(error)) return undefined;
  // A path, header or body that is not allowed has no cause; what the transport throws has one, or a code.
  const isOfTransport = error.cause !== undefined || 'code' in error;
  return isOfTransport ? 'platform_unreachable' : undefined;
}

function reasonOfCode({ code, cause }: TokenClientError): CallReason | undefined {
  if (code === 'CALL_TIMED_OUT') return 'timed_out';
  const isWithoutToken = code === 'TOKEN_UNAVAILABLE' || code === 'REFRESH_FAILED';
  return isWithoutToken && !isDatabaseAway(cause) ? 'no_token' : undefined;
}

/** A caller may bring its own time-out. */
export function isTimeout(signal: AbortSignal | null | undefined): boolean {
  return (signal?.reason as { name?: string } | undefined)?.name === 'TimeoutError';
}

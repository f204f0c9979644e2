/**
 * What the calls of this process met, for each installation: in memory, without a query. A success costs the write of a
 * number.
 */
import type { CallReason } from '@dowel/schema';
import { LRUCache } from 'lru-cache';
import { isDatabaseAway, TokenClientError } from './errors.ts';
import type { TokenPolicy } from './policy.ts';
import type { TokenStore } from './token-store.ts';

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

export interface CallLog extends CallRecords {
  success(installationId: string): void;
  failure(installationId: string, reason: CallReason, status?: number): void;
}

/** So many failures in a row are reported at once. */
const failuresInARow = 3;

interface LogOptions {
  policy: Pick<TokenPolicy, 'maxGrants'>;
  now: () => number;
  onCalls: () => void;
}

export function createCallLog({ policy, now, onCalls }: LogOptions): CallLog {
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
      if (!record.isSuccessAwaited) return;
      record.isSuccessAwaited = false;
      succeeded.add(installationId);
      onCalls();
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
  };
}

/** Records an answer. A 401 is recorded by the caller, who knows whether the token is at fault. */
export function recordAnswer(log: CallLog, installationId: string, response: Response): void {
  const { status, headers } = response;
  if (status < 400) log.success(installationId);
  else if (status >= 500) log.failure(installationId, 'platform_5xx', status);
  else if (status === 429) log.failure(installationId, 'platform_429', status);
  else if (status === 403 && lacksScope(headers)) {
    log.failure(installationId, 'scope_missing', status);
  }
  // Any other 4xx is the fault of the call.
}

/** RFC 6750 §3.1. */
function lacksScope(headers: Headers): boolean {
  return headers.get('www-authenticate')?.includes('insufficient_scope') === true;
}

/** Records a call without an answer, unless it says nothing about the platform. */
export function recordNoAnswer(
  { log, store }: { log: CallLog; store: Pick<TokenStore, 'isAway'> },
  { installationId, signal }: { installationId: string; signal: AbortSignal | null | undefined },
  error: unknown,
): void {
  const reason = reasonOf(error, signal);
  if (!reason) return;
  // The time may have passed in a wait for the database.
  if (reason !== 'platform_unreachable' && store.isAway?.() === true) return;
  log.failure(installationId, reason);
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

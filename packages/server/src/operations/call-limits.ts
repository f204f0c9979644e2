/**
 * Limits the calls of one session, of one user, of one tenant and of this process (row H12). Each has a bucket of tokens: a
 * minute's worth at once, refilled evenly. A restart fills them.
 */
import { LRUCache } from 'lru-cache';

/** Calls of one operation in a minute. */
export interface CallLimits {
  /** Limit of one session, which is one page of a user. Default: the limit of a user. */
  perSessionPerMinute?: number | undefined;
  /** Limit of one user of a tenant, over all sessions. */
  perUserPerMinute: number;
  /** Limit of one plug-in in one tenant. */
  perTenantPerMinute: number;
  /** Limit of all tenants together. Default: none. */
  perProcessPerMinute?: number;
}

interface Bucket {
  tokens: number;
  /** The time of the last update of `tokens`. */
  at: number;
}

export interface CallGate {
  /** Milliseconds that never go back. */
  monotonic: () => number;
  buckets: LRUCache<string, Bucket>;
}

/** The caller of a call, and what it calls. */
export interface LimitedCall {
  /** An operation's name with its plug-in's, or {@link notificationCalls}. */
  operation: string;
  installationId: string;
  userId: string;
  /** The session's id, not its secret. */
  sessionId: string;
}

/** All notifications of users are counted under this name, whichever operation sends them. No operation can have it. */
export const notificationCalls = 'platform.notify';

const minuteMs = 60_000;
/** Above it, the buckets used longest ago are removed, as if they were full. */
const maxBuckets = 50_000;

/** Creates the buckets of one process, all full. */
export function createCallGate(monotonic: () => number = () => performance.now()): CallGate {
  // With `maxSize`, the cache grows with its entries. With `max`, it would reserve all space at once, which takes
  // milliseconds.
  return { monotonic, buckets: new LRUCache({ maxSize: maxBuckets, sizeCalculation: () => 1 }) };
}

/**
 * Takes a place for one call.
 *
 * @returns in how many milliseconds there will be one; undefined: it may be made now. Nothing is taken otherwise.
 */
export function takePlace(
  gate: CallGate,
  { operation, installationId, userId, sessionId }: LimitedCall,
  {
    perUserPerMinute: perUser,
    perSessionPerMinute: perSession = perUser,
    perTenantPerMinute: perTenant,
    perProcessPerMinute: perProcess = Infinity,
  }: CallLimits,
): number | undefined {
  const buckets = [
    fill(gate, `tenant ${operation} ${installationId}`, perTenant),
    fill(gate, `user ${operation} ${installationId} ${userId}`, perUser),
    ...(perSession >= perUser ? [] : [fill(gate, `session ${operation} ${sessionId}`, perSession)]),
    // control H12
    ...(perProcess === Infinity ? [] : [fill(gate, `process ${operation}`, perProcess)]),
  ];
  const waitsMs = buckets.map(({ bucket, perMinute }) =>
    bucket.tokens >= 1 ? 0 : ((1 - bucket.tokens) * minuteMs) / perMinute,
  );
  const waitMs = Math.max(...waitsMs);
  if (waitMs > 0) return Math.ceil(waitMs);
  for (const { bucket } of buckets) bucket.tokens -= 1;
  return undefined;
}

function fill({ buckets, monotonic }: CallGate, key: string, perMinute: number) {
  const at = monotonic();
  const known = buckets.get(key);
  const bucket = known ?? { tokens: perMinute, at };
  bucket.tokens = Math.min(perMinute, bucket.tokens + ((at - bucket.at) * perMinute) / minuteMs);
  bucket.at = at;
  if (!known) buckets.set(key, bucket);
  return { bucket, perMinute };
}

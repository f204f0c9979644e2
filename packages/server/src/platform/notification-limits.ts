/**
 * Limits the notifications of one user, of one tenant, and of this process (row H12). Each has a bucket of
 * tokens: a minute's worth at once, refilled evenly. A restart fills them.
 */
import { LRUCache } from 'lru-cache';

/** Notifications in a minute. */
export interface NotificationLimits {
  /** Of one user of a tenant, over all sessions. */
  perUser: number;
  /** Of one plug-in in one tenant. */
  perTenant: number;
  /** Of all tenants together. */
  perProcess: number;
}

export const defaultNotificationLimits: NotificationLimits = {
  perUser: 60,
  perTenant: 600,
  perProcess: 6_000,
};

interface Bucket {
  tokens: number;
  /** When `tokens` was right. */
  at: number;
}

export interface NotificationGate {
  limits: NotificationLimits;
  /** Milliseconds that never go back. */
  monotonic: () => number;
  buckets: LRUCache<string, Bucket>;
}

const minuteMs = 60_000;
/** Above it, the buckets used longest ago are forgotten, as if they were full. */
const maxBuckets = 50_000;

export function createNotificationGate(
  limits: NotificationLimits,
  monotonic: () => number = () => performance.now(),
): NotificationGate {
  return { limits, monotonic, buckets: new LRUCache({ max: maxBuckets }) };
}

/**
 * Takes a place for one notification.
 *
 * @returns in how many seconds there will be one; undefined: it may be sent now. Nothing is taken otherwise.
 */
export function takePlace(
  gate: NotificationGate,
  { installationId, userId }: { installationId: string; userId: string },
): number | undefined {
  const { perUser, perTenant, perProcess } = gate.limits;
  const buckets = [
    fill(gate, 'process', perProcess),
    fill(gate, `tenant ${installationId}`, perTenant),
    fill(gate, `user ${installationId} ${userId}`, perUser),
  ];
  const waitsMs = buckets.map(({ bucket, perMinute }) =>
    bucket.tokens >= 1 ? 0 : ((1 - bucket.tokens) * minuteMs) / perMinute,
  );
  const waitMs = Math.max(...waitsMs);
  if (waitMs > 0) return Math.ceil(waitMs / 1_000);
  for (const { bucket } of buckets) bucket.tokens -= 1;
  return undefined;
}

function fill({ buckets, monotonic }: NotificationGate, key: string, perMinute: number) {
  const at = monotonic();
  const bucket = buckets.get(key) ?? { tokens: perMinute, at };
  bucket.tokens = Math.min(perMinute, bucket.tokens + ((at - bucket.at) * perMinute) / minuteMs);
  bucket.at = at;
  buckets.set(key, bucket);
  return { bucket, perMinute };
}

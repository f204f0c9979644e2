/** Limits the requests to a platform: leases by the token bucket, triggers by their back-off. */
import type { TriggerClaim } from '@dowel/installation-store';
import { defaultPolicy } from '@dowel/token-client';
import type { Simulation } from '../simulation.ts';
import type { Tenant } from '../tenant.ts';

/** Clocks are whole milliseconds. */
const roundingMs = 2;
/** Pauses are a fifth shorter or longer. */
const jitter = 0.8;

export type Rates = ReturnType<typeof createRates>;

export function createRates({ scheduler, databaseClock, violate }: Simulation) {
  const buckets = new Map<Tenant, { fullAt: number; touchedAt: number }>();
  const claims = new Map<string, { count: number; at: number }>();

  return {
    /** A lease was taken: a refresh may follow. */
    leased(tenant: Tenant): void {
      const { burst, refreshIntervalMs: intervalMs } = defaultPolicy;
      const now = scheduler.now();
      const known = buckets.get(tenant);
      const isKnown = known !== undefined && known.touchedAt > databaseClock.steppedAt;
      const fullAt = Math.max(isKnown ? known.fullAt : now, now) + intervalMs;
      buckets.set(tenant, { fullAt, touchedAt: now });
      if (fullAt - now > burst * intervalMs + roundingMs) {
        violate('refreshes come at a bounded rate', tenant.name);
      }
    },

    /** A lease was given back unused, and another one may be taken instead. */
    returned(tenant: Tenant): void {
      const known = buckets.get(tenant);
      if (known) known.fullAt -= defaultPolicy.refreshIntervalMs;
    },

    /** Its secrets are deleted, together with their counts. */
    forget: (tenant: Tenant) => buckets.delete(tenant),

    claimed(tenant: Tenant, version: string, { outcome }: TriggerClaim): void {
      if (outcome !== 'claimed') return;
      const { failedMs, maxFailedMs } = defaultPolicy.trigger;
      const key = `${tenant.name} ${version}`;
      const now = scheduler.now();
      const last = claims.get(key);
      const doubledMs = failedMs * 2 ** ((last?.count ?? 1) - 1);
      const leastMs = Math.min(jitter * doubledMs, maxFailedMs);
      if (last && last.at > databaseClock.steppedAt && now - last.at < leastMs - roundingMs) {
        violate('triggers come at a bounded rate', `${key}: after ${Math.round(now - last.at)} ms`);
      }
      claims.set(key, { count: (last?.count ?? 0) + 1, at: now });
    },
  };
}

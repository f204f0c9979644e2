/** Who may renew a token set, over all processes of one database. */
import type { RenewalStore } from '@dowel/token-client';
import { beginExchange, endExchange } from './exchange-intent.ts';
import { claimDue } from './healing.ts';
import { acquireLease, extendLease, releaseLease, takeBackAttempt } from './refresh-lease.ts';
import type { StoreContext } from './store-context.ts';
import { claimTrigger, delayTrigger, loadTrigger } from './triggers.ts';

/**
 * The lease, the trigger's turn and the exchange's intent. The methods throw what the database throws,
 * and StoreError `SECRET_INTEGRITY` or `KEY_UNKNOWN` where a secret cannot be opened.
 */
export function createRenewalStore(context: StoreContext): RenewalStore {
  return {
    acquire: (version, request) => acquireLease(context, version, request),
    extend: (lease, times) => extendLease(context, lease, times),
    takeBack: (version, attempt) => takeBackAttempt(context, version, attempt),
    release: (lease, failure) => releaseLease(context, lease, failure),
    beginExchange: (installation, intent, holdMs) =>
      beginExchange(context, installation, { ...intent, holdMs }),
    endExchange: (installationId, code, ending) =>
      endExchange(context, installationId, { code, ending }),
    claimTrigger: (version, pauseMs, gapMs) => claimTrigger(context, version, { pauseMs, gapMs }),
    delayTrigger: (version, delayMs) => delayTrigger(context, version, delayMs),
    loadTrigger: (installationId) => loadTrigger(context, installationId),
    claimDue: (limit) => claimDue(context, limit).execute(),
  };
}

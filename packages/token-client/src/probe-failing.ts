/**
 * Finds installations without a usable access token, and records those that stay so as broken
 * (docs/decisions/0036-hooks.md). A plug-in that stops its calls when a hook reports this must still learn of
 * the recovery, so the renewal is tried again without a call.
 */
import type { ApplyChange, FailingGrant } from '@dowel/installation-store';
import { runInBackground, type TokenContext } from './context.ts';
import { TokenClientError } from './errors.ts';
import { observeChange } from './record-recovery.ts';
import { renew } from './single-flight.ts';
import { TokenRequestError } from './token-request-error.ts';

/** Installations that one round takes. */
const probedPerRound = 100;
/** The time between two tries of one installation. */
const probeEveryMs = 30_000;

/** Tries to renew what could not be renewed for `brokenAfterMs`. Does nothing if no hook is called for changes. */
export async function probeFailing(context: TokenContext): Promise<void> {
  const { store, policy, applied } = context;
  if (!applied) return;
  const failing = await store.usability.claimFailing({
    afterMs: policy.brokenAfterMs,
    everyMs: probeEveryMs,
    limit: probedPerRound,
  });
  for (const each of failing) runInBackground(context, probe(context, applied, each));
}

async function probe(
  context: TokenContext,
  applied: ApplyChange,
  failing: FailingGrant,
): Promise<void> {
  const { store, policy } = context;
  // Only an event can replace a dead grant, and healing asks for it.
  const outcome = failing.isDead ? {} : await tryRenewal(context, failing);
  if (!outcome) return;
  const broken = await store.transaction(async (stores) => {
    const failure = { afterMs: policy.brokenAfterMs, ...outcome };
    const change = await stores.usability.markBroken(failing, failure);
    if (change) await applied(stores, change);
    return change;
  });
  observeChange(context, broken);
}

/** Why there are no new tokens. Undefined: there are, or the installation or this process has ended. */
async function tryRenewal(
  context: TokenContext,
  { installationId, tokenVersion }: FailingGrant,
): Promise<{ reason: string } | undefined> {
  try {
    const grant = await context.cache.read(installationId);
    if (grant.tokenVersion === tokenVersion) await renew(context, grant, 'expiring');
    return undefined;
  } catch (error) {
    // A renewal that this process stops says nothing about the platform.
    if (context.closing.signal.aborted) return undefined;
    if (!(error instanceof TokenClientError)) throw error;
    if (error.code === 'GRANT_NOT_FOUND' || error.code === 'INSTALLATION_PAUSED') return undefined;
    const { cause } = error;
    return {
      reason: cause instanceof TokenRequestError ? cause.reason : 'token_endpoint_unreachable',
    };
  }
}

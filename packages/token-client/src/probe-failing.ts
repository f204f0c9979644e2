/**
 * Finds installations without a usable access token, and records those that stay so as broken
 * (docs/decisions/0036-hooks.md). A plug-in that stops its calls when a hook reports this must still learn of
 * the recovery, so the renewal is tried again without a call.
 */

import { runInBackground, type TokenContext } from './context.ts';
import { TokenClientError } from './errors.ts';
import { observeChange } from './record-recovery.ts';
import { renew } from './single-flight.ts';
import type { ApplyChange, FailingGrant } from './token-store.ts';

/** Installations that one round takes. */
const probedPerRound = 100;
/** The time between two tries of one installation. */
const probeEveryMs = 30_000;

/** Tries to renew what could not be renewed for `brokenAfterMs`. Does nothing if no hook is called for changes. */
export async function probeFailing(context: TokenContext): Promise<void> {
  const { store, policy, applied } = context;
  if (!applied) return;
  const failing = await store.usability?.claimFailing({
    afterMs: policy.brokenAfterMs,
    everyMs: probeEveryMs,
    limit: probedPerRound,
  });
  for (const each of failing ?? []) runInBackground(context, probe(context, applied, each));
}

async function probe(
  context: TokenContext,
  applied: ApplyChange,
  failing: FailingGrant,
): Promise<void> {
  const { store, policy } = context;
  // Only an event can replace a dead grant, and healing asks for it.
  if (!failing.isDead && !(await hasFailed(context, failing))) return;
  const broken = await store.transaction(async (stores) => {
    const change = await stores.usability?.markBroken(failing, { afterMs: policy.brokenAfterMs });
    if (change) await applied(stores, change);
    return change;
  });
  observeChange(context, broken);
}

/** Tries a renewal, which stores why it fails. False: there are new tokens, or the installation or process has ended. */
async function hasFailed(
  context: TokenContext,
  { installationId, tokenVersion }: FailingGrant,
): Promise<boolean> {
  try {
    const grant = await context.cache.read(installationId);
    if (grant.tokenVersion === tokenVersion) await renew(context, grant, 'expiring');
    return false;
  } catch (error) {
    // A renewal that this process stops says nothing about the platform.
    if (context.closing.signal.aborted) return false;
    if (!(error instanceof TokenClientError)) throw error;
    return error.code !== 'GRANT_NOT_FOUND' && error.code !== 'INSTALLATION_PAUSED';
  }
}

/**
 * Recovery from a dead grant: one trigger per back-off step over all processes (Spec §4.3), then a wait for
 * the tokens of its event, stored by any process.
 */

import {
  isReplaced,
  newerGrant,
  type Renewal,
  recordRequest,
  runInBackground,
  type TokenContext,
} from './context.ts';
import { installationPaused, isDamaged, temporaryError } from './errors.ts';
import { everyBase, type RequestEnding, withPlace } from './fair-gate.ts';
import { triggerPauseMs } from './policy.ts';
import type { GrantVersion, TriggerClaim } from './token-store.ts';
import { requestNewEvent, type Trigger } from './trigger.ts';

export type TriggerResult =
  /** Sent, and the platform accepted it. */
  | { taken: true }
  | NotTaken
  /** Not sent: one was sent recently, or another token set is stored. */
  | undefined;

interface NotTaken {
  taken: false;
  reason: string;
  retryInMs: number;
}

/** A trigger that the platform did not accept. Until `until`, no other is sent for this token set. */
export interface RefusedTrigger {
  tokenVersion: number;
  /** A point in time of the timer, in milliseconds. */
  until: number;
  reason: string;
}

/** A token set that cannot be refreshed. It is not sent again. */
export interface DeadGrant {
  tokenVersion: number;
  reason: string;
  /** Marked in the database. */
  isStored: boolean;
}

/** Installations that one round of {@link healDueGrants} takes. */
const healedPerPage = 100;
const maxPages = 10;
/** A trigger that gets no place in this time is due again. */
const placeWaitMs = 5_000;

/**
 * Marks the grant as dead for `reason` and resolves with the one that replaces it.
 *
 * @throws TokenClientError `TOKEN_UNAVAILABLE`, at once when the platform does not accept the trigger.
 */
export async function recover(
  context: TokenContext,
  version: GrantVersion,
  { reason, waitMs }: { reason: string; waitMs: number },
): Promise<Renewal> {
  if (await markDead(context, version, reason)) {
    return { grant: await context.cache.reload(version.installationId), isFound: true };
  }
  const refusal = recentRefusal(context, version);
  if (refusal && !(await isReplaced(context, version))) throw notTaken(refusal);
  const waiting = new AbortController();
  const arrival = newerGrant(context, version, { ms: waitMs, signal: waiting.signal });
  // The event may come before the trigger is answered.
  const sent = triggerNewEvent(context, version).then((result) => {
    if (result?.taken === false) throw notTaken(result);
    return arrival;
  });
  arrival.catch(() => {});
  // The answer is recorded, even if the event comes first, or the client is drained.
  runInBackground(context, sent);
  const renewal = await Promise.race([arrival, sent]).finally(() => waiting.abort());
  if (renewal) return renewal;
  throw temporaryError(
    'TOKEN_UNAVAILABLE',
    'The new access_token event has not arrived in time',
    context.policy.trigger.takenMs,
  );
}

/** True if another token set is stored already. */
async function markDead(
  context: TokenContext,
  version: GrantVersion,
  reason: string,
): Promise<boolean> {
  const { store, deadGrants, now, observe } = context;
  const { installationId, tokenVersion } = version;
  const dead = deadGrantOf(context, version) ?? { tokenVersion, reason, isStored: false };
  deadGrants.set(installationId, dead);
  if (dead.isStored) return false;
  const storedReason = await store.transaction(({ grants }) =>
    grants.markAwaitingEvent(version, reason, now()),
  );
  // control R10
  if (storedReason === undefined) return true;
  dead.isStored = true;
  observe({ type: 'parked', installationId, reason: storedReason });
  return false;
}

/** The reason why the grant is dead, if this process knows it. */
export function diedOf(context: TokenContext, version: GrantVersion): string | undefined {
  return deadGrantOf(context, version)?.reason;
}

function deadGrantOf(
  { deadGrants }: TokenContext,
  { installationId, tokenVersion }: GrantVersion,
): DeadGrant | undefined {
  const dead = deadGrants.peek(installationId);
  return dead?.tokenVersion === tokenVersion ? dead : undefined;
}

/** Sends one trigger if one is due. @throws what the store throws. */
export async function triggerNewEvent(
  context: TokenContext,
  version: GrantVersion,
  waitMs = context.policy.waitMs,
): Promise<TriggerResult> {
  const { gates, triggerGate, timer } = context;
  const source = await loadTrigger(context, version.installationId);
  if (typeof source === 'string') return sendIfDue(context, version, { source });
  const who = { key: source.baseUrl, tenant: version.installationId };
  const endsAt = timer.monotonic() + waitMs;
  const wait = () => ({ timer, ms: Math.max(0, endsAt - timer.monotonic()) });
  // Waits for its turn before it claims the trigger, because the claim's time limit is short.
  return withPlace(gates.trigger, who, wait(), (report) =>
    withPlace(triggerGate, { key: everyBase, tenant: source.baseUrl }, wait(), (reportBase) => {
      const reportBoth = (ending: RequestEnding) => {
        report(ending);
        // As in a refresh, one installation that hangs does not speak for its base URL.
        reportBase(ending === 'timed out' ? 'unknown' : ending);
      };
      return sendIfDue(context, version, { source, report: reportBoth });
    }),
  );
}

/** Sends the triggers that are due. @returns how many the platform accepted. */
export async function healDueGrants(context: TokenContext): Promise<number> {
  const triggers: Promise<TriggerResult>[] = [];
  for (let page = 0; page < maxPages; page += 1) {
    const due = await context.store.renewals.claimDue(healedPerPage);
    const sent = due.map((each) => triggerNewEvent(context, each, placeWaitMs));
    // The next page may fail before they are answered.
    for (const each of sent) runInBackground(context, each);
    triggers.push(...sent);
    if (due.length < healedPerPage) break;
  }
  const results = await Promise.allSettled(triggers);
  return results.filter((each) => each.status === 'fulfilled' && each.value?.taken).length;
}

/** A trigger, or the reason why none can be sent. */
type TriggerSource = Trigger | 'no_trigger_event' | 'secret_integrity';

/** The stored trigger, or the reason why none can be sent. */
export async function loadTrigger(
  { store }: TokenContext,
  installationId: string,
): Promise<TriggerSource> {
  try {
    const stored = await store.renewals.loadTrigger(installationId);
    return stored?.trigger ? { ...stored, trigger: stored.trigger } : 'no_trigger_event';
  } catch (error) {
    if (isDamaged(error)) return 'secret_integrity';
    throw error;
  }
}

interface TriggerRequest {
  source: TriggerSource;
  /** Called when a request that was sent has ended. */
  report?: (ending: RequestEnding) => void;
}

async function sendIfDue(
  context: TokenContext,
  version: GrantVersion,
  request: TriggerRequest,
): Promise<TriggerResult> {
  const claim = await claimTrigger(context, version);
  if (claim.outcome === 'moved') return undefined;
  if (claim.outcome === 'too_early') return recentRefusal(context, version);
  return sendClaimed(context, version, { ...request, sent: claim.sent });
}

/**
 * @param gapMs for an operator's request; see {@link RenewalStore.claimTrigger}.
 * @throws TokenClientError `INSTALLATION_PAUSED`
 */
export async function claimTrigger(
  { store, policy, random }: TokenContext,
  version: GrantVersion,
  gapMs?: number,
): Promise<Exclude<TriggerClaim, { outcome: 'paused' }>> {
  const pauseMs = (sent: number) => triggerPauseMs(policy, { sent, isSettled: false, random });
  const claim = await store.renewals.claimTrigger(version, pauseMs, gapMs);
  if (claim.outcome === 'paused') throw installationPaused();
  return claim;
}

/** Sends the trigger of a claim. @param sent how many were sent before it. */
export async function sendClaimed(
  context: TokenContext,
  version: GrantVersion,
  { source, sent, report }: TriggerRequest & { sent: number },
): Promise<{ taken: true } | NotTaken> {
  const { store, policy, random, timer, now, observe, refusedTriggers } = context;
  const { installationId, tokenVersion } = version;
  const startedAt = now();
  const isUnsendable = typeof source === 'string';
  const reason = isUnsendable
    ? source
    : await requestNewEvent(source, { ...context, timeoutMs: policy.triggerTimeoutMs });
  if (!isUnsendable) report?.(reason === 'trigger_unreachable' ? 'timed out' : 'answered');
  // A trigger that was accepted, or can never be sent, is not repeated soon.
  const isSettled = reason === null || isUnsendable;
  const retryInMs = triggerPauseMs(policy, { sent, isSettled, random });
  // Before the history: on a slow disk the claim would end, and another trigger would be sent.
  if (isSettled) await store.renewals.delayTrigger(version, retryInMs);
  await recordRequest(context, version, { operation: 'trigger', startedAt, reason });
  observe({ type: 'triggered', installationId, reason });
  if (reason === null) {
    refusedTriggers.delete(installationId);
    return { taken: true };
  }
  refusedTriggers.set(installationId, {
    tokenVersion,
    until: timer.monotonic() + retryInMs,
    reason,
  });
  return { taken: false, reason, retryInMs };
}

function recentRefusal(
  { refusedTriggers, timer }: TokenContext,
  { installationId, tokenVersion }: GrantVersion,
): NotTaken | undefined {
  const last = refusedTriggers.peek(installationId);
  if (!last) return undefined;
  const retryInMs = last.until - timer.monotonic();
  if (last.tokenVersion === tokenVersion && retryInMs > 0) {
    return { taken: false, reason: last.reason, retryInMs };
  }
  refusedTriggers.delete(installationId);
  return undefined;
}

function notTaken({ reason, retryInMs }: NotTaken): Error {
  const message = `The platform did not accept the trigger: ${reason}`;
  return temporaryError('TOKEN_UNAVAILABLE', message, retryInMs);
}

/** Runs one attempt outside any transaction, and stores its end if the claim is still ours. */
import { endInTime, pause } from '@dowel/http';
import type { ClaimedHook, HookOutcome } from '@dowel/installation-store';
import { isEndOf, PlatformError } from '../base/platform-error.ts';
import { bindLog } from '../log/bind-log.ts';
import { type CallScope, giveUpUnread } from '../platform/call-platform.ts';
import type { DeliveryContext } from './deliver-hooks.ts';
import { type HookData, type HookDelivery, hookOf, ParkHook } from './hooks.ts';
import { delayAfter, type HookPolicy, maxAttempts } from './policy.ts';

/** The time after a time-out in which its failure is stored, before another process claims the delivery. */
export const leaseMarginMs = 15_000;
const settlePauseMs = { first: 100, longest: 2_000 };

/** The hook of an attempt. It may still run after its time-out. */
export interface Run {
  /** Resolves when the hook's own promise has settled. */
  ended: Promise<void>;
  /** Resolves when the end of the attempt is stored, or cannot be stored any more. */
  settled: Promise<void>;
  stop: AbortController;
}

export function runHook(context: DeliveryContext, claimed: ClaimedHook): Run {
  const { timer, policy } = context;
  const endsAt = timer.monotonic() + policy.timeoutMs + leaseMarginMs;
  const stop = new AbortController();
  const startedAt = timer.monotonic();
  const work = callHook(context, claimed, stop.signal);
  const { timeoutMs: ms } = policy;
  // A call to the platform that a `TimeoutError` ends counts as unanswered (docs/decisions/0035-fair-places.md).
  const reason = () => new DOMException(`The hook took longer than ${ms} ms`, 'TimeoutError');
  const outcome = readOutcome(context, claimed, endInTime(timer, { ms, stop, reason }, work));
  const settled = outcome
    .then(async (end) => {
      const isOurs = await store(context, { claimed, end, endsAt });
      if (isOurs) report(context, { claimed, end, durationMs: timer.monotonic() - startedAt });
    })
    // The plug-in's own log may throw.
    .catch(() => {});
  return { ended: work.catch(() => {}), settled, stop };
}

/** Fails without a call if earlier attempts have killed their process. */
async function callHook(
  { hooks, policy, platformOf, log }: DeliveryContext,
  claimed: ClaimedHook,
  signal: AbortSignal,
): Promise<void> {
  const { event, id, sequence, attempts: attempt, installation } = claimed;
  if (attempt > maxAttempts(policy)) throw tooManyAttempts(policy, attempt);
  const hook = hookOf(hooks, installation.plugin, event);
  if (!hook) throw new Error(`There is no hook for ${event}`);
  const isOver = event === 'uninstalled' || event === 'broken';
  const installationId = installation.id;
  const scope: CallScope = { signal, answers: [] };
  const delivery = {
    event,
    id,
    sequence,
    attempt,
    isReplay: claimed.isReplay,
    isReinstalled: claimed.isReinstalled,
    isPlacedAgain: claimed.isPlacedAgain,
    occurredAt: claimed.occurredAt,
    installation,
    data: claimed.data,
    platform: isOver ? undefined : platformOf(installation, scope),
    log: bindLog(log, { hook: event, hookId: id, installationId }),
    signal,
  };
  try {
    await hook(delivery as unknown as HookDelivery<keyof HookData>);
  } finally {
    giveUpUnread(scope);
  }
}

/** The last attempt failed before the policy was shortened, or its process ended: the store does not say which. */
function tooManyAttempts(policy: HookPolicy, attempt: number): ParkHook {
  return new ParkHook(
    `Tried ${attempt - 1} times; hookPolicy.delaysMs allows ${maxAttempts(policy)}. The last attempt ended with its process, or the policy allowed more`,
  );
}

interface End {
  outcome: HookOutcome;
  error?: unknown;
}

async function readOutcome(
  { policy, random }: DeliveryContext,
  { attempts, installation: { id }, generation }: ClaimedHook,
  work: Promise<void>,
): Promise<End> {
  try {
    await work;
    return { outcome: { state: 'delivered' } };
  } catch (error) {
    const text = textOf(error);
    // No later attempt can reach its platform, and the hooks behind it are about the end, or the next generation.
    const isTooLate = isEndOf(error, { id, generation });
    if (isTooLate) return { outcome: { state: 'superseded', error: text }, error };
    const retryAfterMs = error instanceof PlatformError ? error.retryAfterMs : undefined;
    const retryInMs = delayAfter(policy, attempts, { random, retryAfterMs });
    const isOver = error instanceof ParkHook || retryInMs === undefined;
    if (isOver) return { outcome: { state: 'parked', error: text }, error };
    return { outcome: { state: 'failed', error: text, retryInMs }, error };
  }
}

/** Some objects cannot be converted to text, and a getter may throw. */
function textOf(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return `${thrown.name}: ${thrown.message}`;
    if (thrown === null) return 'null was thrown';
    return typeof thrown === 'object' ? Object.prototype.toString.call(thrown) : String(thrown);
  } catch {
    return 'An error whose members cannot be read';
  }
}

/**
 * False: another process has claimed the delivery, or the database was unavailable until then. A failure caused by the
 * stop of the process is not stored: the delivery is due again when its lease ends.
 */
async function store(
  { store: { hooks }, timer, closing, log }: DeliveryContext,
  { claimed, end: { outcome }, endsAt }: { claimed: ClaimedHook; end: End; endsAt: number },
): Promise<boolean> {
  let pauseMs = settlePauseMs.first;
  if (closing.signal.aborted && outcome.state !== 'delivered') return false;
  for (;;) {
    try {
      return await hooks.settle(claimed, outcome);
    } catch (err) {
      const isOver = timer.monotonic() + pauseMs >= endsAt || closing.signal.aborted;
      if (isOver) {
        log.error({ err, hookId: claimed.id }, 'hook.not_settled');
        return false;
      }
    }
    await pause(timer, pauseMs, closing.signal);
    pauseMs = Math.min(pauseMs * 2, settlePauseMs.longest);
  }
}

function report(
  { log, observe }: DeliveryContext,
  { claimed, end, durationMs }: { claimed: ClaimedHook; end: End; durationMs: number },
): void {
  const { installation, event, id, attempts: attempt } = claimed;
  const { outcome, error } = end;
  const type = `hook.${outcome.state}` as const;
  const installationId = installation.id;
  const fields = { event, plugin: installation.plugin, installationId, attempt, durationMs };
  const line = {
    ...fields,
    durationMs: Math.round(durationMs),
    hookId: id,
    ...(outcome.state === 'failed' && { retryInMs: outcome.retryInMs }),
    ...(error !== undefined && { err: error }),
  };
  if (outcome.state === 'delivered') log.debug(line, type);
  else log[outcome.state === 'parked' ? 'error' : 'warn'](line, type);
  observe({ type, ...fields });
}

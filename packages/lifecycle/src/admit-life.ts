/**
 * The plug-in's `beforeInstall`: may a new life begin? It runs before anything is decided, and outside any
 * transaction; the claim of the event keeps copies waiting (docs/decisions/0036-hooks.md).
 */
import { endInTime, type Timer } from '@dowel/http';
import type { Installation } from '@dowel/installation-store';
import { type EventAnswer, refuseInstall, retryLater } from './event-answer.ts';

/** A life that is about to begin. */
export interface InstallAttempt {
  installation: Installation;
  /** An earlier life was usable. */
  isReinstall: boolean;
  /** Aborted when the time is over. */
  signal: AbortSignal;
  /**
   * Refuses the installation for good. The platform receives the message, at most 200 characters.
   *
   * @throws always, so nothing after it runs.
   */
  refuse(message: string): never;
}

export interface AdmissionOptions {
  /**
   * Called before a new life begins. It may be called more than once for one life, so it must change nothing.
   * A throw asks for another delivery of the event. Default: every life may begin.
   */
  beforeInstall?: ((attempt: InstallAttempt) => Promise<void> | void) | undefined;
  /** The time of `beforeInstall` in milliseconds, at most 10,000. Default 5,000. */
  beforeInstallMs?: number;
}

export interface AdmissionContext {
  timer: Timer;
  /** Undefined: every life may begin. */
  beforeInstall: AdmissionOptions['beforeInstall'];
  beforeInstallMs: number;
  /** The hooks that run in this process, and when each is given up, by the timer's clock. */
  admissions: Map<Promise<void>, number>;
}

export const longestBeforeInstallMs = 10_000;
/** Hooks of one process at once. One that goes on beyond its time keeps its place until it is given up. */
const maxAdmissions = 32;
/** A hook that still runs this long after its time is given up, as those of `deliver-hooks.ts` are. */
const overdueMs = 300_000;

type Outcome = 'accepted' | 'failed' | 'timed out';

/** Undefined: the life may begin, or has been let in before. */
export async function admitLife(
  context: AdmissionContext,
  installation: Installation,
): Promise<EventAnswer | undefined> {
  const { beforeInstall, admissions, timer, beforeInstallMs } = context;
  if (!beforeInstall || !installation.awaitsAdmission) return undefined;
  giveUpOverdue(context);
  if (admissions.size >= maxAdmissions) return retryLater('hooks_full');
  const timeOut = new AbortController();
  let refusal: { message: unknown } | undefined;
  const hook = call(beforeInstall, {
    installation,
    isReinstall: installation.usableGeneration > 0,
    signal: timeOut.signal,
    refuse(message) {
      refusal = { message };
      throw new Error(`The installation was refused: ${message}`);
    },
  });
  admissions.set(hook, timer.monotonic() + beforeInstallMs + overdueMs);
  const leave = () => admissions.delete(hook);
  hook.then(leave, leave);
  const outcome = await outcomeOf(context, hook, timeOut);
  if (refusal !== undefined) return refuseInstall(refusal.message);
  if (outcome === 'timed out') return retryLater('hook_timed_out');
  return outcome === 'failed' ? retryLater('hook_failed') : undefined;
}

/** Hooks that never end must not keep their places, or nothing could be installed until a restart. */
function giveUpOverdue({ admissions, timer }: AdmissionContext): void {
  for (const [hook, givenUpAt] of admissions) {
    if (timer.monotonic() >= givenUpAt) admissions.delete(hook);
  }
}

async function call(
  hook: NonNullable<AdmissionContext['beforeInstall']>,
  attempt: InstallAttempt,
): Promise<void> {
  await hook(attempt);
}

async function outcomeOf(
  { timer, beforeInstallMs: ms }: AdmissionContext,
  hook: Promise<void>,
  timeOut: AbortController,
): Promise<Outcome> {
  const reason = () => new Error('beforeInstall took too long');
  try {
    await endInTime(timer, { ms, stop: timeOut, reason }, hook);
    return 'accepted';
  } catch {
    return timeOut.signal.aborted ? 'timed out' : 'failed';
  }
}

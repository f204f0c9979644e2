/**
 * The state of an installation, as the dashboard shows, counts and filters it. The database stores a
 * condition, which only a write changes. A state follows from the condition and the time, by
 * {@link stateRules}: the one list that the server's filter, its counts and the page use.
 */
import { z } from 'zod';

/**
 * - `awaiting`: the grant is dead; only a new access_token event can help.
 * - `failing`: no refresh has succeeded since the first one failed.
 * - `calls_failing`: it has tokens, and its calls fail.
 * - `refused`: it was uninstalled without having had tokens, after its access_token event was refused.
 * - `pending`: installed, no tokens yet.
 * - `expiring`: it has tokens that cannot be renewed.
 * - `healthy`: it has tokens that can be renewed.
 * - `paused`: an operator paused it.
 * - `uninstalled`: the platform removed it, or the plug-in's own `beforeInstall` refused it.
 */
export const conditionSchema = z.enum([
  'awaiting',
  'failing',
  'calls_failing',
  'refused',
  'pending',
  'expiring',
  'healthy',
  'paused',
  'uninstalled',
]);

/** One colour, one chip and one count each. */
export const stateGroupSchema = z.enum([
  'working',
  'risk',
  'broken',
  'pending',
  'paused',
  'uninstalled',
]);

export const installationStateSchema = z.enum([
  'active',
  'idle',
  'expiring',
  'ran_out',
  'failing',
  'unreachable',
  'calls_failing',
  'awaiting',
  'pending',
  'no_tokens',
  'install_refused',
  'paused',
  'uninstalled',
]);

export type Condition = z.infer<typeof conditionSchema>;
export type StateGroup = z.infer<typeof stateGroupSchema>;
export type InstallationState = z.infer<typeof installationStateSchema>;

/** What the database knows of an installation. Points in time are epoch milliseconds. */
export interface ConditionFacts {
  condition: Condition;
  /** End of the access token; null when the platform named none. */
  tokenExpiresAt: number | null;
  /** Begin of this life. */
  beganAt: number;
}

/** A moment that divides one condition into two states. */
export interface StateClock {
  of: 'tokenExpiresAt' | 'beganAt';
  /** The moment is this much later. */
  afterMs: number;
  /** Whether the state holds from the moment on, or before it. Without a moment: before it. */
  isPast: boolean;
}

interface StateRule {
  group: StateGroup;
  condition: Condition;
  clock?: StateClock;
}

/** After this time without tokens an install counts as broken. */
const pendingMs = 120_000;

const tokenAhead: StateClock = { of: 'tokenExpiresAt', afterMs: 0, isPast: false };
const tokenPast: StateClock = { of: 'tokenExpiresAt', afterMs: 0, isPast: true };

/** Every condition at every time has exactly one state. */
export const stateRules: Readonly<Record<InstallationState, StateRule>> = {
  active: { group: 'working', condition: 'healthy', clock: tokenAhead },
  idle: { group: 'working', condition: 'healthy', clock: tokenPast },
  expiring: { group: 'risk', condition: 'expiring', clock: tokenAhead },
  ran_out: { group: 'risk', condition: 'expiring', clock: tokenPast },
  failing: { group: 'risk', condition: 'failing', clock: tokenAhead },
  unreachable: { group: 'broken', condition: 'failing', clock: tokenPast },
  calls_failing: { group: 'broken', condition: 'calls_failing' },
  awaiting: { group: 'broken', condition: 'awaiting' },
  pending: {
    group: 'pending',
    condition: 'pending',
    clock: { of: 'beganAt', afterMs: pendingMs, isPast: false },
  },
  no_tokens: {
    group: 'broken',
    condition: 'pending',
    clock: { of: 'beganAt', afterMs: pendingMs, isPast: true },
  },
  install_refused: { group: 'broken', condition: 'refused' },
  paused: { group: 'paused', condition: 'paused' },
  uninstalled: { group: 'uninstalled', condition: 'uninstalled' },
};

/** The state at `now`, epoch milliseconds of the server's clock. */
export function stateOf(facts: ConditionFacts, now: number): InstallationState {
  const state = installationStateSchema.options.find((each) =>
    isInState(stateRules[each], facts, now),
  );
  // Each condition has a rule without a clock, or one for either side of it.
  return state ?? 'uninstalled';
}

function isInState({ condition, clock }: StateRule, facts: ConditionFacts, now: number): boolean {
  if (condition !== facts.condition) return false;
  if (!clock) return true;
  const moment = facts[clock.of];
  const isPast = moment !== null && moment + clock.afterMs <= now;
  return isPast === clock.isPast;
}

/**
 * Since when an installation is without access at `now`: only a broken one is. Null: it has access, or it is
 * paused, uninstalled, or just being installed.
 */
export function withoutAccessSince(
  facts: ConditionFacts & { accessEndsAt: number | null },
  now: number,
): number | null {
  return groupOf(stateOf(facts, now)) === 'broken' ? facts.accessEndsAt : null;
}

/** The group of a state: what its badge, chip and count belong to. */
export function groupOf(state: InstallationState): StateGroup {
  return stateRules[state].group;
}

/**
 * The cause to show for an installation: the recorded one; without one, the state if it is a timed one, else `other`. Null
 * if it is not broken.
 */
export function causeNameOf(cause: string | null, state: InstallationState): string | null {
  if (cause !== null) return cause;
  const { group, clock } = stateRules[state];
  if (group !== 'broken') return null;
  return clock ? state : 'other';
}

/** When the state changes although nothing is written, such as at the end of a token; null: never. */
export function stateEndsAt(facts: ConditionFacts, now: number): number | null {
  const { clock } = stateRules[stateOf(facts, now)];
  if (!clock || clock.isPast) return null;
  const moment = facts[clock.of];
  return moment === null ? null : moment + clock.afterMs;
}

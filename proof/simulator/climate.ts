/**
 * The faults of one history. Each history has only a few kinds of faults, but many of them: that
 * reaches more situations than a few faults of every kind.
 */
import { crowdSize } from './places.ts';
import type { Random } from './random.ts';

export interface Climate {
  processes: number;
  tenants: number;
  /**
   * Tenants on the origin of the first one, whose calls hang, are slow or have long bodies. A crowd of them only hangs,
   * from the first call on.
   */
  neighbours: number;
  /** Some installations exist before the storm. */
  installedBefore: boolean;
  /** The duration of the storm, in which there are faults. */
  stormMs: number;
  /** The number of outside actions in the storm. */
  actions: number;
  ties: 'in order' | 'at random';
  /** The maximum delay of a request to the database, and of its answer; null: none. */
  storeDelayMs: number | null;
  /** Probabilities for one call of the store. */
  store: { fails: number; outcomeLost: number };
  /** The probability that a commit is acknowledged late, and how late at most. */
  commits: { late: number; maxLateMs: number };
  /** How soon a process is notified of changes by others. */
  announcements: 'usual' | 'late';
  networkDelayMs: number;
  /** Probabilities for one request. */
  network: {
    refused: number;
    hangs: number;
    /** Takes effect, but its answer is lost. */
    lost: number;
    /** Takes effect seconds later, when its sender may have given up and sent another one. */
    late: number;
    /** Is answered 5xx or 429, without an effect. */
    passing: number;
    /** Takes effect, but is answered 502 or 504. */
    passingAfter: number;
    /** Takes effect, but the answer is invalid. */
    garbled: number;
    /** Is refused finally, without a reason. */
    forbidden: number;
    /** The body of a call's answer lasts for a long time. */
    lasts: number;
  };
  events: {
    lost: number;
    repeated: number;
    answerLost: number;
    /** Deliveries of one event before the platform gives up. */
    maxAttempts: number;
    maxDelayMs: number;
  };
  /** Probabilities for one step over a process's boundary. */
  process: { dies: number; sleeps: number };
  /** The lifetime of an access token. The platform may omit it from its answer. */
  lifetimeSeconds: number;
  tokens: { lifetimeUnsaid: number; refreshTokenKept: number; refreshTokenMissing: number };
  /** The time in which a spent refresh token may be used again. */
  graceMs: number;
  /** A new code ends the tokens of earlier codes. */
  endsOlderGrants: boolean;
  /** Processes run `heal()` from time to time. */
  heals: boolean;
}

export function drawClimate(random: Random): Climate {
  const rate = (...rates: number[]) => (random.chance(0.6) ? 0 : random.pick(rates));
  return {
    processes: random.pick([1, 2, 2, 3, 4]),
    tenants: random.pick([1, 1, 2]),
    neighbours: random.chance(0.08) ? crowdSize : random.pick([0, 0, 0, 1, 2]),
    installedBefore: random.chance(0.85),
    stormMs: random.pick([15_000, 30_000, 60_000]),
    actions: random.integer(3, 10),
    ties: random.pick(['in order', 'at random']),
    storeDelayMs: random.pick([null, null, 5, 200, 2_500, 9_000]),
    store: { fails: rate(0.02, 0.1), outcomeLost: rate(0.02, 0.1) },
    commits: { late: rate(0.1, 0.4), maxLateMs: random.pick([500, 4_000]) },
    announcements: random.pick(['usual', 'late']),
    networkDelayMs: random.pick([10, 300, 3_500]),
    network: {
      refused: rate(0.05, 0.2),
      hangs: rate(0.05, 0.2),
      lost: rate(0.05, 0.3),
      late: rate(0.05, 0.2),
      passing: rate(0.1, 0.4),
      passingAfter: rate(0.05),
      garbled: rate(0.05),
      forbidden: rate(0.02),
      lasts: rate(0.05, 0.3),
    },
    events: {
      lost: rate(0.2, 0.5),
      repeated: rate(0.3),
      answerLost: rate(0.1, 0.3),
      maxAttempts: random.integer(1, 4),
      maxDelayMs: random.pick([100, 2_000, 30_000]),
    },
    process: { dies: rate(0.01, 0.03), sleeps: rate(0.01, 0.03) },
    lifetimeSeconds: random.pick([3_600, 3_600, 60, 15, 3]),
    tokens: {
      lifetimeUnsaid: rate(0.5),
      refreshTokenKept: rate(0.5),
      refreshTokenMissing: rate(0.3),
    },
    graceMs: random.pick([0, 0, 0, 30_000]),
    endsOlderGrants: random.chance(0.7),
    heals: random.chance(0.8),
  };
}

/** The same climate before and after the storm: nothing fails. */
export function calm(climate: Climate): Climate {
  return {
    ...climate,
    storeDelayMs: climate.storeDelayMs === null ? null : 5,
    store: { fails: 0, outcomeLost: 0 },
    commits: { late: 0, maxLateMs: 0 },
    networkDelayMs: 20,
    network: {
      refused: 0,
      hangs: 0,
      lost: 0,
      late: 0,
      passing: 0,
      passingAfter: 0,
      garbled: 0,
      forbidden: 0,
      lasts: 0,
    },
    events: { lost: 0, repeated: 0, answerLost: 0, maxAttempts: 4, maxDelayMs: 100 },
    process: { dies: 0, sleeps: 0 },
    lifetimeSeconds: 3_600,
    tokens: { lifetimeUnsaid: 0, refreshTokenKept: 0, refreshTokenMissing: 0 },
    heals: true,
  };
}

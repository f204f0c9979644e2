/** What an observer hears. Labels come from closed lists; no field holds a secret or a user's text. */
import type { LifecycleEventName } from '@dowel/schema';
import type { TokenObservation } from '@dowel/token-client';
import type { HookObservation } from './hooks/hooks.ts';

interface EventObservation {
  /** `event.refused` when the status is 400 or above. */
  type: 'event.answered' | 'event.refused';
  event: LifecycleEventName;
  /** The key of the plug-in; '' for the only one. */
  plugin: string;
  status: number;
  /** A reason of docs/errors.md; null when there is none. */
  reason: string | null;
  durationMs: number;
}

interface SessionObservation {
  type: 'session.opened';
  plugin: string;
  installationId: string;
}

interface OperationObservation {
  type: 'operation.ended';
  plugin: string;
  /** Its key in the table of operations. */
  operation: string;
  /** Null: the call was refused before its session was found. */
  installationId: string | null;
  status: number;
  /** Of docs/errors.md or of the operation's own `errors`; null when it succeeded. */
  code: string | null;
  durationMs: number;
}

/** The database is not available, and `open` waits for it. */
interface DatabaseObservation {
  type: 'database.awaited';
  /** For a person: the database and what is wrong, without a secret. */
  message: string;
}

type Prefixed<Prefix extends string, Each extends { type: string }> = Each extends unknown
  ? Omit<Each, 'type'> & { type: `${Prefix}.${Each['type']}` }
  : never;

type UsabilityObservation = Extract<
  TokenObservation,
  { type: 'installation_broken' | 'installation_recovered' }
>;

/** Told by the process that finds it out. Times in epoch milliseconds. */
type InstallationObservation =
  | { type: 'installation.broken'; installationId: string; since: number; reason: string }
  | { type: 'installation.recovered'; installationId: string; brokenSince: number };

export type Observation =
  | EventObservation
  | SessionObservation
  | OperationObservation
  | DatabaseObservation
  | HookObservation
  | InstallationObservation
  | Prefixed<'token', Exclude<TokenObservation, UsabilityObservation>>;

export type Observe = (observation: Observation) => void;

/** An observer whose errors and rejections are ignored: they must not change an answer or end the process. */
export function guardObserver(
  observe: ((observation: Observation) => unknown) | undefined,
): Observe {
  return (observation) => {
    // Runs the observer at once. Its failure is its own affair.
    void (async () => observe?.(observation))().catch(() => undefined);
  };
}

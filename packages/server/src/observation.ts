/**
 * The observations that an observer receives. Labels come from closed lists; no field contains a secret or a user's
 * text.
 */
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
  /** A code of docs/errors.md or of the operation's own `errors`; null when it succeeded. */
  code: string | null;
  durationMs: number;
}

/** `open` waits for a database that is not available. */
interface DatabaseObservation {
  type: 'database.awaited';
  /** Readable text: the database and what is wrong, without a secret. */
  message: string;
}

type Prefixed<Prefix extends string, Each extends { type: string }> = Each extends unknown
  ? Omit<Each, 'type'> & { type: `${Prefix}.${Each['type']}` }
  : never;

type UsabilityObservation = Extract<
  TokenObservation,
  { type: 'installation_broken' | 'installation_recovered' }
>;

/** Sent by the process that detects the change. Times in epoch milliseconds. */
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

/** Ignores errors and rejections of the observer: they must not change an answer or end the process. */
export function guardObserver(
  observe: ((observation: Observation) => unknown) | undefined,
): Observe {
  return (observation) => {
    // Runs the observer at once. Errors thrown by the observer are ignored.
    void (async () => observe?.(observation))().catch(() => undefined);
  };
}

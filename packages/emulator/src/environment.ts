/** What every verb needs from outside itself: time, network, key, and who is listening. */
import type { Changes } from './changes.ts';
import type { SigningKey } from './signing-key.ts';

export interface Environment {
  readonly origin: string;
  /** Real time in epoch milliseconds. */
  readonly now: () => number;
  readonly fetch: typeof fetch;
  readonly signingKey: Promise<SigningKey>;
  readonly changes: Changes;
  /** Aborted when the platform closes. */
  readonly closed: AbortSignal;
  readonly timeoutMs: number;
  /** How an event's JWT travels. */
  readonly eventFormat: 'form' | 'json';
  /** Pauses before each re-sending of an event that nobody answered. */
  readonly resendDelaysMs: readonly number[];
}

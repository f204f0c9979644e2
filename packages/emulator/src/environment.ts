/** The time, network, key and subscribers that all operations use. */
import type { Changes } from './changes.ts';
import type { ExchangeLog } from './exchange-log.ts';
import type { Faults } from './faults.ts';
import type { SigningKeys } from './signing-keys.ts';

/** A mistake of back ends that the platform accepts. */
export type Tolerance = 'basic.encoding' | 'status.2xx';

export interface Environment {
  readonly origin: string;
  /** Real time in epoch milliseconds. */
  readonly now: () => number;
  readonly fetch: typeof fetch;
  readonly signingKeys: SigningKeys;
  readonly changes: Changes;
  readonly exchanges: ExchangeLog;
  readonly faults: Faults;
  /** Aborted when the platform closes. */
  readonly closed: AbortSignal;
  readonly timeoutMs: number;
  readonly tolerates: readonly Tolerance[];
  /** How an event's JWT is sent. */
  readonly eventFormat: 'form' | 'json';
  /** Pauses before each re-sending of an unanswered event. */
  readonly resendDelaysMs: readonly number[];
}

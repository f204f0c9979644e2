/** The histories of events and of token operations. Points in time are epoch milliseconds. */
import type { EventDetail, LifecycleEventName, TokenOperation } from '@dowel/schema';

export interface EventEntry {
  installationId: string;
  event: LifecycleEventName;
  receivedAt: number;
  durationMs: number;
  status: number;
  reason: string | null;
  /** The life that shows a refusal as its error; null: none. Default: the current one. */
  generation?: number | null;
  /** For operators. Contains no secret. Default: none. */
  detail?: EventDetail;
}

export type TokenOperationEntry = Omit<TokenOperation, 'id'> & { installationId: string };

/** The histories. About a thousand entries of each installation are kept, for `historyDays`. */
export interface EventStore {
  recordEvent(entry: EventEntry): Promise<void>;
  recordTokenOperation(entry: TokenOperationEntry): Promise<void>;
}

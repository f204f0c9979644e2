/** The histories of events and of token operations. Points in time are epoch milliseconds. */
import type { EventDetail, LifecycleEventName } from '@dowel/schema';
import type { TokenHistory } from '@dowel/token-client';

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

/** The histories. About a thousand entries of each installation are kept, for `historyDays`. */
export interface EventStore extends TokenHistory {
  recordEvent(entry: EventEntry): Promise<void>;
}

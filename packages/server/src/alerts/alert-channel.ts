/** What a channel of alerts must do. */
import type { AlertChannel } from '@dowel/schema';

export interface SentMessage {
  /** The same at each attempt. */
  id: string;
  /** JSON of an `AlertMessage`. */
  body: string;
}

export type SendResult =
  | { isDelivered: true; text: string }
  /** `text` says why, in English, without a secret and without a text of the receiver. */
  | { isDelivered: false; text: string; retryAfterMs?: number | undefined };

export interface Channel {
  name: AlertChannel;
  /** Where it goes, without a secret. */
  target: string;
  /** Ends soon after the signal. Never rejects. */
  send(message: SentMessage, signal: AbortSignal): Promise<SendResult>;
}

/** A channel sends the messages of alerts: webhook or mail. */
import type { AlertAnswer, AlertChannel } from '@dowel/admin-api';

export interface SentMessage {
  /** The same for each attempt to send a message. */
  id: string;
  /** JSON of an `AlertMessage`. */
  body: string;
}

export interface SendResult {
  isDelivered: boolean;
  /** The result in English, without secrets and without texts of the receiver. */
  text: string;
  /** What `text` says. */
  answer: AlertAnswer;
  /** Not delivered, and not to be tried again. */
  isFinal?: true;
  /** Only when it was not delivered. */
  retryAfterMs?: number | undefined;
}

export interface Channel {
  name: AlertChannel;
  /** The receiver's address, without secrets. */
  target: string;
  /** Ends soon after the signal. Never rejects. */
  send(message: SentMessage, signal: AbortSignal): Promise<SendResult>;
}

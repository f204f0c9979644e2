/**
 * The port of alerts: which rules are true, and which messages are sent (docs/decisions/0048-alerts.md). Points in
 * time are by the database's clock.
 */
import type {
  Alert,
  AlertAnswer,
  AlertChannel,
  AlertDelivery,
  AlertFacts,
  AlertMessageKind,
  AlertRule,
} from '@dowel/admin-api';

/** A rule that is true now. */
export interface AlertFinding {
  rule: AlertRule;
  /** Distinguishes several alerts of one rule; '' if there can be only one. */
  subject: string;
  /** Since when the rule is true; null: unknown, so the time of the first evaluation is used. */
  since: number | null;
  facts: AlertFacts;
}

/** An alert about which a message must be sent now. */
export interface AlertNews {
  kind: AlertMessageKind;
  alert: Alert;
}

export interface NewAlertMessage {
  /** Unique. The same for all channels. */
  id: string;
  kind: AlertMessageKind;
  alertId: string;
  channel: AlertChannel;
  /** What is sent, at each attempt the same. Contains no secret. */
  body: string;
}

/** The right to send one message. It ends with its lease. */
export interface ClaimedAlertMessage extends Pick<NewAlertMessage, 'id' | 'channel' | 'body'> {
  /** Attempts that began, this one included. */
  attempts: number;
  /** Since it was written. */
  ageMs: number;
}

export type AlertOutcome =
  | { state: 'delivered' }
  | { state: 'waiting'; error: string; answer: AlertAnswer; retryInMs: number }
  /** Not tried again. */
  | { state: 'failed'; error: string; answer: AlertAnswer };

export interface AlertReport {
  open: Alert[];
  recent: Alert[];
  /** The newest message of each channel that has had one. */
  channels: { channel: AlertChannel; last: AlertDelivery; waiting: number }[];
}

/** Each channel gets the messages about an alert at least once, in order. */
export interface AlertStore {
  /**
   * Opens, updates and recovers the alerts of these rules. An alert opens when its rule is true at two evaluations, and
   * recovers when it has been false for five minutes. Call it in a transaction, with {@link add} for what it returns.
   */
  evaluate(rules: readonly AlertRule[], findings: readonly AlertFinding[]): Promise<AlertNews[]>;
  add(messages: readonly NewAlertMessage[]): Promise<void>;
  /**
   * Claims the due message that has waited longest. None is claimed while an earlier one about the same alert waits in
   * its channel. It is due again after `leaseMs`.
   */
  claim(channel: AlertChannel, leaseMs: number): Promise<ClaimedAlertMessage | undefined>;
  /** @returns false when it was claimed again since then. Then nothing was written. */
  settle(message: ClaimedAlertMessage, outcome: AlertOutcome): Promise<boolean>;
  report(): Promise<AlertReport>;
}

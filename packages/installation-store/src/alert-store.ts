/**
 * The port of alerts: which rules are true, which messages are sent, and which alerts are silenced
 * (docs/decisions/0048-alerts.md). Points in time are by the database's clock.
 */
import type {
  Alert,
  AlertAnswer,
  AlertChannel,
  AlertDelivery,
  AlertFacts,
  AlertMessageKind,
  AlertRule,
  AlertSilence,
} from '@dowel/schema';

/** A rule that is true now. */
export interface AlertFinding {
  rule: AlertRule;
  /** Distinguishes several alerts of one rule; '' if there can be only one. */
  subject: string;
  /** Since when the rule is true; null: unknown, so the time of the first evaluation is used. */
  since: number | null;
  facts: AlertFacts;
}

export interface AlertEvaluation {
  /** The rules that were looked at. Alerts of others stay as they are. */
  rules: readonly AlertRule[];
  findings: readonly AlertFinding[];
  /** A rule must be false for this long before its alert recovers; longer after it has flapped. */
  recoverAfterMs: number;
  /** How long after the last message a reminder about an open alert is sent. */
  remindAfterMs: number;
  /** True without a channel: openings and recoveries are returned for the log only, and do not count as sent. */
  isMute: boolean;
}

/** An alert about which a message must be sent now. */
export interface AlertNews {
  kind: Exclude<AlertMessageKind, 'test'>;
  alert: Alert;
}

export interface NewAlertMessage {
  /** Unique. The same for all channels. */
  id: string;
  kind: AlertMessageKind;
  /** Null for a test. */
  alertId: string | null;
  channel: AlertChannel;
  /** What is sent, at each attempt the same. Contains no secret. */
  body: string;
  /** When it is due unless it is claimed by its id before. Default: at once. */
  dueInMs?: number;
}

/** The right to send one message. It ends with its lease. */
export interface ClaimedAlertMessage extends NewAlertMessage {
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
  silences: AlertSilence[];
  /** The newest message of each channel that has had one. */
  channels: { channel: AlertChannel; last: AlertDelivery; waiting: number }[];
}

/** Each channel gets the messages about an alert at least once, in order. */
export interface AlertStore {
  /**
   * Opens, updates and recovers alerts. An alert opens when its rule is true at two evaluations. Call it in a
   * transaction, with {@link add} for what it returns.
   */
  evaluate(evaluation: AlertEvaluation): Promise<AlertNews[]>;
  /** A reminder is left out if an earlier message about its alert still waits in the channel. */
  add(messages: readonly NewAlertMessage[]): Promise<void>;
  /**
   * Claims the due message that has waited longest. None is claimed while an earlier one about the same alert waits in
   * its channel. It is due again after `leaseMs`.
   *
   * @param id claims this one, due or not.
   */
  claim(
    channel: AlertChannel,
    leaseMs: number,
    id?: string,
  ): Promise<ClaimedAlertMessage | undefined>;
  /** @returns false when it was claimed again since then. Then nothing was written. */
  settle(message: ClaimedAlertMessage, outcome: AlertOutcome): Promise<boolean>;
  /** An earlier silence of the same rule and subject is replaced. */
  silence(silence: Omit<AlertSilence, 'at' | 'until'> & { forMs: number }): Promise<void>;
  /** @returns false: it was not silenced. */
  endSilence(rule: AlertRule, subject: string): Promise<boolean>;
  report(): Promise<AlertReport>;
}

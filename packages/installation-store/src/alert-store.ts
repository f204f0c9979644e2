/**
 * The port of alerts: which rules hold, who must hear of it, and who has silenced it
 * (docs/decisions/0048-alerts.md). Points in time are by the database's clock.
 */
import type {
  Alert,
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
  /** What tells several alerts of one rule apart; '' if there can be only one. */
  subject: string;
  /** Since when; null: unknown, so it is when the rule was first seen to be true. */
  since: number | null;
  facts: AlertFacts;
}

export interface AlertEvaluation {
  /** The rules that were looked at. Alerts of others stay as they are. */
  rules: readonly AlertRule[];
  findings: readonly AlertFinding[];
  /** A rule must be false for so long before its alert recovers; longer after it has flapped. */
  recoverAfterMs: number;
  /** How long after the last message an open alert is told again. */
  remindAfterMs: number;
  /** There is no channel: openings and recoveries are news for the log only, and count as untold. */
  isMute: boolean;
}

/** What must be told now. */
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
  | { state: 'waiting'; error: string; retryInMs: number }
  /** Not tried again. */
  | { state: 'failed'; error: string };

export interface AlertReport {
  open: Alert[];
  recent: Alert[];
  silences: AlertSilence[];
  /** The newest message of each channel that has had one. */
  channels: { channel: AlertChannel; last: AlertDelivery; waiting: number }[];
}

/** Each alert is told at least once to each channel, in order. */
export interface AlertStore {
  /**
   * Opens, updates and recovers alerts. An alert opens when its rule is true at two evaluations. Call it in a
   * transaction, with {@link add} for what it returns.
   */
  evaluate(evaluation: AlertEvaluation): Promise<AlertNews[]>;
  /** A reminder is left out where an earlier message about its alert still waits. */
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

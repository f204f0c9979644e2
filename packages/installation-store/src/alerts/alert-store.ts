/** Alerts of one database. The methods throw what the database throws. */
import {
  type Alert,
  type AlertChannel,
  type AlertDelivery,
  type AlertRule,
  alertChannelSchema,
} from '@dowel/admin-api';
import type { Kysely } from 'kysely';
import type { Tables } from '../sql/tables.ts';
import {
  type AlertOutcome,
  addMessages,
  type ClaimedAlertMessage,
  claimMessage,
  type NewAlertMessage,
  settleMessage,
} from './alert-messages.ts';
import { alertOf, deliveryOf } from './alert-rows.ts';
import { type AlertContext, type AlertFinding, evaluateAlerts } from './evaluate-alerts.ts';

export interface AlertReport {
  open: Alert[];
  recent: Alert[];
  /** The newest message of each channel that has had one. */
  channels: { channel: AlertChannel; last: AlertDelivery; waiting: number }[];
}

const recentAlerts = 50;

/** Each channel gets the messages about an alert at least once, in order. Points in time are by the database's clock. */
export function createAlertStore(context: AlertContext) {
  return {
    /**
     * Opens, updates and recovers the alerts of these rules. An alert opens when its rule is true at two evaluations, and
     * recovers when it has been false for five minutes. Call it in a transaction, with `add` for what it returns.
     */
    evaluate: (rules: readonly AlertRule[], findings: readonly AlertFinding[]) =>
      evaluateAlerts(context, rules, findings),
    add: (messages: readonly NewAlertMessage[]) => addMessages(context, messages),
    /**
     * Claims the due message that has waited longest. None is claimed while an earlier one about the same alert waits in
     * its channel. It is due again after `leaseMs`.
     */
    claim: (channel: AlertChannel, leaseMs: number) => claimMessage(context, channel, leaseMs),
    /** @returns false when it was claimed again since then. Then nothing was written. */
    settle: (message: ClaimedAlertMessage, outcome: AlertOutcome) =>
      settleMessage(context, message, outcome),
    report: () => reportAlerts(context.db),
  };
}

async function reportAlerts(db: Kysely<Tables>): Promise<AlertReport> {
  const open = await db
    .selectFrom('alerts')
    .selectAll()
    .where('recovered_at', 'is', null)
    .where('opened_at', 'is not', null)
    .orderBy('opened_at', 'desc')
    .orderBy('id')
    .execute();
  const recent = await db
    .selectFrom('alerts')
    .selectAll()
    .where('recovered_at', 'is not', null)
    .orderBy('recovered_at', 'desc')
    .orderBy('id')
    .limit(recentAlerts)
    .execute();
  return {
    open: open.map(alertOf),
    recent: recent.map(alertOf),
    channels: await readChannels(db),
  };
}

async function readChannels(db: Kysely<Tables>): Promise<AlertReport['channels']> {
  const channels: AlertReport['channels'] = [];
  for (const channel of alertChannelSchema.options) {
    const last = await db
      .selectFrom('alert_messages')
      .selectAll()
      .where('channel', '=', channel)
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    if (!last) continue;
    const { n } = await db
      .selectFrom('alert_messages')
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .where('channel', '=', channel)
      .where('state', '=', 'waiting')
      .executeTakeFirstOrThrow();
    channels.push({ channel, last: deliveryOf(last), waiting: Number(n) });
  }
  return channels;
}

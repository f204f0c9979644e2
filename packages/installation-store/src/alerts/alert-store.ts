/** Alerts of one database. The methods throw what the database throws. */
import { alertChannelSchema } from '@dowel/admin-api';
import type { Kysely } from 'kysely';
import type { AlertReport, AlertStore } from '../alert-store.ts';
import type { Tables } from '../sql/tables.ts';
import { addMessages, claimMessage, settleMessage } from './alert-messages.ts';
import { alertOf, deliveryOf } from './alert-rows.ts';
import { type AlertContext, evaluateAlerts } from './evaluate-alerts.ts';

const recentAlerts = 50;

/** Creates the alert store of one database. See {@link AlertStore}. */
export function createAlertStore(context: AlertContext): AlertStore {
  return {
    evaluate: (rules, findings) => evaluateAlerts(context, rules, findings),
    add: (messages) => addMessages(context, messages),
    claim: (...claim) => claimMessage(context, ...claim),
    settle: (message, outcome) => settleMessage(context, message, outcome),
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

/** Alerts of one database. The methods throw what the database throws. */
import { alertChannelSchema } from '@dowel/schema';
import { type Kysely, sql } from 'kysely';
import type { AlertReport, AlertStore } from '../alert-store.ts';
import type { Database } from '../sql/database.ts';
import type { Tables } from '../sql/tables.ts';
import { addMessages, claimMessage, settleMessage } from './alert-messages.ts';
import { alertOf, deliveryOf } from './alert-rows.ts';
import { type AlertContext, evaluateAlerts } from './evaluate-alerts.ts';

const recentAlerts = 50;

/** Creates the alert store of one database. See {@link AlertStore}. */
export function createAlertStore(context: AlertContext): AlertStore {
  return {
    evaluate: (evaluation) => evaluateAlerts(context, evaluation),
    add: (messages) => addMessages(context, messages),
    claim: (...claim) => claimMessage(context, ...claim),
    settle: (message, outcome) => settleMessage(context, message, outcome),
    silence: (silence) => silenceAlert(context, silence),
    endSilence: (rule, subject) => endSilence(context, rule, subject),
    report: () => reportAlerts(context),
  };
}

async function silenceAlert(
  { db, now }: Pick<Database, 'db' | 'now'>,
  { forMs, ...silence }: Parameters<AlertStore['silence']>[0],
): Promise<void> {
  const until = sql<number>`${now()} + cast(${forMs} as bigint)`;
  const { by, reason } = silence;
  await db
    .insertInto('alert_silences')
    .values({ ...silence, at: now(), until })
    .onConflict((conflict) =>
      conflict.columns(['rule', 'subject']).doUpdateSet({ by, reason, at: now(), until }),
    )
    .execute();
}

async function endSilence(
  { db, now }: Pick<Database, 'db' | 'now'>,
  ...[rule, subject]: Parameters<AlertStore['endSilence']>
): Promise<boolean> {
  const ended = await db
    .deleteFrom('alert_silences')
    .where('rule', '=', rule)
    .where('subject', '=', subject)
    .returning(sql<number>`case when until > ${now()} then 1 else 0 end`.as('held'))
    .executeTakeFirst();
  return ended?.held === 1;
}

async function reportAlerts({ db, now }: Pick<Database, 'db' | 'now'>): Promise<AlertReport> {
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
  const silences = await db
    .selectFrom('alert_silences')
    .selectAll()
    .where('until', '>', now())
    .orderBy('until')
    .execute();
  return {
    open: open.map(alertOf),
    recent: recent.map(alertOf),
    silences,
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

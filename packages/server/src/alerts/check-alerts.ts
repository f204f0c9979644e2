/** Evaluates the rules every 30 seconds in one process, and writes alerts and their messages in one transaction. */
import { randomUUID } from 'node:crypto';
import { type AlertRule, alertRuleSchema } from '@dowel/admin-api';
import type { AlertFinding, AlertNews, NewAlertMessage } from '@dowel/installation-store';
import { composeMessage } from './alert-message.ts';
import type { AlertsContext } from './alerts-context.ts';
import { deliverAlerts } from './deliver-alerts.ts';
import { findAlerts } from './find-alerts.ts';

const everyMs = 30_000;
/** Counting the values of each key reads whole tables, so it is done less often. */
const keysEveryMs = 5 * 60_000;

/** Run it every few seconds in each process. Never rejects. */
export async function checkAlerts(context: AlertsContext): Promise<void> {
  const { database, draining } = context;
  if (!database.isAvailable || draining.signal.aborted || context.checking) return;
  context.checking = checkInTurn(context);
  await context.checking;
  context.checking = undefined;
}

/** Never rejects. */
async function checkInTurn(context: AlertsContext): Promise<void> {
  const { store } = context;
  try {
    if (!(await store.takeTurn('dowel alerts', everyMs))) return;
    const news = await evaluate(context);
    for (const each of news) logNews(context, each);
    if (news.length > 0) void deliverAlerts(context);
  } catch (err) {
    reportFailure(context, { err });
  }
}

async function evaluate(context: AlertsContext): Promise<AlertNews[]> {
  const { store, settings, draining } = context;
  const rules: AlertRule[] = [];
  const findings: AlertFinding[] = [];
  for (const rule of alertRuleSchema.options) {
    if (draining.signal.aborted) return [];
    const isOn = settings.rules.includes(rule);
    // A rule that is switched off finds nothing, so its alert recovers.
    const found = isOn ? await findIfDue(context, rule) : [];
    if (!found) continue;
    rules.push(rule);
    findings.push(...found);
  }
  return store.transaction(async ({ alerts }) => {
    const news = await alerts.evaluate(rules, findings);
    await alerts.add(news.flatMap((each) => messagesOf(context, each)));
    return news;
  });
}

/** Undefined: not looked at, so its alerts stay as they are. One rule that fails must not stop the others. */
async function findIfDue(
  context: AlertsContext,
  rule: AlertRule,
): Promise<AlertFinding[] | undefined> {
  const { store } = context;
  try {
    const isDue =
      rule !== 'key_unreadable' || (await store.takeTurn('dowel alert keys', keysEveryMs));
    return isDue ? await findAlerts(context, rule) : undefined;
  } catch (err) {
    reportFailure(context, { err, rule });
    return undefined;
  }
}

/** What outlasts the time of a stop loses its database. Another process evaluates the rules. */
function reportFailure({ draining, logger }: AlertsContext, failure: object): void {
  if (!draining.signal.aborted) logger.error(failure, 'alerts.failed');
}

/** All channels get the same id, so a reader of two channels sees that it is one message. */
function messagesOf(context: AlertsContext, news: AlertNews): NewAlertMessage[] {
  const id = `msg_${randomUUID()}`;
  const body = JSON.stringify(composeMessage(context, news));
  const { kind, alert } = news;
  return context.channels.map(({ name }) => ({ id, kind, alertId: alert.id, channel: name, body }));
}

function logNews({ logger }: AlertsContext, { kind, alert }: AlertNews): void {
  const { id, rule, subject, facts } = alert;
  const line = { alertId: id, rule, ...(subject && { subject }), count: facts.count };
  if (kind === 'recovered') logger.info(line, 'alert.recovered');
  else logger.warn(line, `alert.${kind}`);
}

/**
 * Opens, updates and recovers alerts after an evaluation of the rules. A rule must be true twice before its alert
 * opens, and false for five minutes before it recovers, so a rule that comes and goes sends few messages.
 */
import { randomUUID } from 'node:crypto';
import type { Alert, AlertFacts, AlertMessageKind, AlertRule } from '@dowel/admin-api';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { Database } from '../sql/database.ts';
import type { Tables } from '../sql/tables.ts';
import { alertOf } from './alert-rows.ts';

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

export type AlertContext = Pick<Database, 'db' | 'now' | 'locksRows'>;

type Row = Selectable<Tables['alerts']>;

const recoverAfterMs = 5 * 60_000;
/** A message that could not be sent in this time is given up, also when no process has its channel. */
const staleMs = 25 * 60 * 60_000;

export async function evaluateAlerts(
  context: AlertContext,
  rules: readonly AlertRule[],
  findings: readonly AlertFinding[],
): Promise<AlertNews[]> {
  const { db } = context;
  await lockAlerts(context);
  const at = await readClock(context);
  await giveUpStale(db, at);
  const rows = await db
    .selectFrom('alerts')
    .selectAll()
    .where('recovered_at', 'is', null)
    .where('rule', 'in', [...rules])
    .execute();
  const news: (AlertNews | undefined)[] = [];
  for (const finding of findings) {
    const row = rows.find((each) => isSame(each, finding));
    if (row) news.push(await keepTrue(db, row, finding, at));
    else await addAlert(db, finding, at);
  }
  for (const row of rows) {
    if (!findings.some((finding) => isSame(row, finding))) news.push(await clear(db, row, at));
  }
  return news.filter((each) => each !== undefined);
}

/** One evaluation at a time. SQLite has one writer in any case. */
async function lockAlerts({ db, locksRows }: AlertContext): Promise<void> {
  if (!locksRows) return;
  await db
    .selectFrom('maintenance')
    .select('name')
    .where('name', '=', 'alerts')
    .forUpdate()
    .execute();
}

async function readClock({ db, now }: AlertContext): Promise<number> {
  const { rows } = await sql<{ at: number }>`select ${now()} as at`.execute(db);
  return rows[0]?.at ?? 0;
}

async function giveUpStale(db: Kysely<Tables>, at: number): Promise<void> {
  await db
    .updateTable('alert_messages')
    .set({
      state: 'failed',
      settled_at: at,
      last_error: sql`coalesce(last_error, 'No process that sends to this channel was running')`,
    })
    .where('state', '=', 'waiting')
    .where('created_at', '<', at - staleMs)
    .execute();
}

function isSame(row: Row, finding: AlertFinding): boolean {
  return row.rule === finding.rule && row.subject === finding.subject;
}

/** The rule is true for the first time: the alert is not open yet. */
async function addAlert(
  db: Kysely<Tables>,
  { rule, subject, since, facts }: AlertFinding,
  at: number,
): Promise<void> {
  const row = { id: randomUUID(), rule, subject, since: since ?? at, opened_at: null };
  await db
    .insertInto('alerts')
    .values({ ...row, facts: JSON.stringify(facts), peak: facts.count })
    .execute();
}

async function keepTrue(
  db: Kysely<Tables>,
  row: Row,
  { since, facts }: AlertFinding,
  at: number,
): Promise<AlertNews | undefined> {
  const current: Row = {
    ...row,
    opened_at: row.opened_at ?? at,
    since: since ?? row.since,
    facts: JSON.stringify(facts),
    peak: Math.max(row.peak, facts.count),
    clear_since: null,
  };
  await writeRow(db, current);
  return row.opened_at === null ? { kind: 'opened', alert: alertOf(current) } : undefined;
}

async function clear(db: Kysely<Tables>, row: Row, at: number): Promise<AlertNews | undefined> {
  if (row.opened_at === null) {
    await db.deleteFrom('alerts').where('id', '=', row.id).execute();
    return undefined;
  }
  // A time ahead was written before the clock was set back.
  const clearSince = Math.min(row.clear_since ?? at, at);
  const isOver = at - clearSince >= recoverAfterMs;
  const current: Row = { ...row, clear_since: clearSince, recovered_at: isOver ? at : null };
  await writeRow(db, current);
  return isOver ? { kind: 'recovered', alert: alertOf(current) } : undefined;
}

async function writeRow(db: Kysely<Tables>, { id, ...changes }: Row): Promise<void> {
  await db.updateTable('alerts').set(changes).where('id', '=', id).execute();
}

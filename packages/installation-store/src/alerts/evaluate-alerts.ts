/**
 * Opens, updates and recovers alerts after an evaluation of the rules. A rule must be true twice before its
 * alert opens, and false for some time before it recovers. That time doubles with each recovery of the last
 * hours, so that an alert that flaps causes a few messages in a day, not hundreds.
 */
import { randomUUID } from 'node:crypto';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { AlertEvaluation, AlertFinding, AlertNews } from '../alert-store.ts';
import type { Database } from '../sql/database.ts';
import type { Tables } from '../sql/tables.ts';
import { alertOf } from './alert-rows.ts';

export type AlertContext = Pick<Database, 'db' | 'now' | 'locksRows'>;

type Row = Selectable<Tables['alerts']>;

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Recoveries within this time make the next one take longer. */
const flappingMs = 6 * hourMs;
const longestClearMs = hourMs;
/** A reminder is sent early when the count of an alert has grown by this factor, and by at least `worseBy`. */
const worseFactor = 2;
const worseBy = 3;
const worsePauseMs = 15 * minuteMs;
/** A message that could not be sent in this time is given up, also when no process has its channel. */
const staleMs = 25 * hourMs;

export async function evaluateAlerts(
  context: AlertContext,
  evaluation: AlertEvaluation,
): Promise<AlertNews[]> {
  const { db } = context;
  await lockAlerts(context);
  const at = await readClock(context);
  await db.deleteFrom('alert_silences').where('until', '<=', at).execute();
  await giveUpStale(db, at);
  const rows = await db
    .selectFrom('alerts')
    .selectAll()
    .where('recovered_at', 'is', null)
    .where('rule', 'in', [...evaluation.rules])
    .execute();
  const news: (AlertNews | undefined)[] = [];
  for (const finding of evaluation.findings) {
    const row = rows.find((each) => isSame(each, finding));
    if (row) news.push(await keepTrue(context, { row, finding, evaluation, at }));
    else await watch(db, finding, at);
  }
  for (const row of rows) {
    if (evaluation.findings.some((finding) => isSame(row, finding))) continue;
    news.push(await clear(db, { row, evaluation, at }));
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

async function readClock({ db, now }: Pick<Database, 'db' | 'now'>): Promise<number> {
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

/** The rule is true for the first time: no message is sent yet. */
async function watch(
  db: Kysely<Tables>,
  { rule, subject, since, facts }: AlertFinding,
  at: number,
): Promise<void> {
  await db
    .insertInto('alerts')
    .values({
      id: randomUUID(),
      rule,
      subject,
      since: since ?? at,
      opened_at: null,
      facts: JSON.stringify(facts),
      peak: facts.count,
      tellings: 0,
    })
    .execute();
}

interface Step {
  row: Row;
  evaluation: AlertEvaluation;
  at: number;
}

async function keepTrue(
  context: AlertContext,
  { row, finding, evaluation, at }: Step & { finding: AlertFinding },
): Promise<AlertNews | undefined> {
  const { since, facts } = finding;
  const current: Row = {
    ...row,
    opened_at: row.opened_at ?? at,
    since: since ?? row.since,
    facts: JSON.stringify(facts),
    peak: Math.max(row.peak, facts.count),
    clear_since: null,
  };
  const isQuiet = await isSilenced(context.db, row);
  if (evaluation.isMute) {
    await writeRow(context.db, current);
    const isNew = row.opened_at === null && !isQuiet;
    return isNew ? { kind: 'opened', alert: alertOf(current) } : undefined;
  }
  const kind = isQuiet ? undefined : findNews(current, { finding, evaluation, at });
  const told: Row = kind
    ? { ...current, tellings: row.tellings + 1, told_at: at, told_count: facts.count }
    : current;
  await writeRow(context.db, told);
  return kind && { kind, alert: alertOf(told) };
}

function findNews(
  { tellings, told_at: toldAt, told_count: toldCount }: Row,
  { finding, evaluation, at }: Omit<Step, 'row'> & { finding: AlertFinding },
): 'opened' | 'reminder' | undefined {
  if (tellings === 0) return 'opened';
  const sinceToldMs = at - (toldAt ?? at);
  // A time ahead was written before the clock was set back: nobody knows how long ago that was.
  if (sinceToldMs < 0 || sinceToldMs >= evaluation.remindAfterMs) return 'reminder';
  const { count } = finding.facts;
  const before = toldCount ?? 0;
  const isWorse = count >= before * worseFactor && count >= before + worseBy;
  return isWorse && sinceToldMs >= worsePauseMs ? 'reminder' : undefined;
}

async function isSilenced(db: Kysely<Tables>, { rule, subject }: Row): Promise<boolean> {
  const silence = await db
    .selectFrom('alert_silences')
    .select('rule')
    .where('rule', '=', rule)
    .where('subject', '=', subject)
    .executeTakeFirst();
  return silence !== undefined;
}

/** If a message about the opening was sent, one about the recovery is sent too, even if the alert is silenced. */
async function clear(
  db: Kysely<Tables>,
  { row, evaluation, at }: Step,
): Promise<AlertNews | undefined> {
  if (row.opened_at === null) {
    await db.deleteFrom('alerts').where('id', '=', row.id).execute();
    return undefined;
  }
  const clearSince = row.clear_since === null || row.clear_since > at ? at : row.clear_since;
  const isOver = at - clearSince >= (await findClearMs(db, { row, evaluation, at }));
  const current: Row = {
    ...row,
    clear_since: clearSince,
    recovered_at: isOver ? at : null,
  };
  await writeRow(db, current);
  if (!isOver || (row.tellings === 0 && !evaluation.isMute)) return undefined;
  return { kind: 'recovered', alert: alertOf(current) };
}

async function findClearMs(
  db: Kysely<Tables>,
  { row: { rule, subject }, evaluation: { recoverAfterMs }, at }: Step,
): Promise<number> {
  const { n } = await db
    .selectFrom('alerts')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('rule', '=', rule)
    .where('subject', '=', subject)
    .where('recovered_at', '>', at - flappingMs)
    .executeTakeFirstOrThrow();
  return Math.min(recoverAfterMs * 2 ** Number(n), Math.max(longestClearMs, recoverAfterMs));
}

async function writeRow(db: Kysely<Tables>, { id, ...changes }: Row): Promise<void> {
  await db.updateTable('alerts').set(changes).where('id', '=', id).execute();
}

/**
 * The filtered list as a file. It is read page by page as fast as the client takes it, in an order that does not
 * change meanwhile. Each export has a row in the audit. It ends with its session, and when the server closes.
 */
import { Readable } from 'node:stream';
import {
  type FleetExportQuery,
  type FleetInstallation,
  fleetCsvHeader,
  fleetCsvLine,
  fleetExportQuerySchema,
  fleetRowsSchema,
  withoutControls,
} from '@dowel/admin-api';
import type { Store } from '@dowel/installation-store';
import type { Context } from 'koa';
import { ApiError } from '../base/errors.ts';
import type { Log } from '../log/log.ts';
import { type AdminRoute, type Call, route, written } from './admin-route.ts';
import { withStates } from './fleet-routes.ts';
import { limitOperator, type OperatorLimits } from './operator-limits.ts';
import { hasSession, type SessionContext } from './operator-session.ts';

export interface ExportContext extends SessionContext {
  store: Pick<Store, 'reports' | 'audit' | 'sessions'>;
  logger: Pick<Log, 'error'>;
  /** Aborting it ends the exports. */
  closing: AbortSignal;
  operatorLimits: OperatorLimits;
  /** Operators whose export by this process is under way. */
  exporting: Set<string>;
  /** A client that reads nothing for this time is disconnected. */
  maxBlockedMs?: number;
}

/** Exports at once. Each reads the whole list. */
const maxExports = 2;
const pageSize = 100;

export function listExportRoutes(context: ExportContext): AdminRoute[] {
  return [
    route('GET /fleet/export', {
      role: 'viewer',
      summary: 'The list as a file of the format `csv` or `json`; here the rows of `json`',
      query: fleetExportQuerySchema,
      answer: fleetRowsSchema,
      async handle(call) {
        await exportFleet(context, call);
        return written;
      },
    }),
  ];
}

/** @throws ApiError `EXPORT_UNDER_WAY`, `TOO_MANY_ATTEMPTS` */
async function exportFleet(
  context: ExportContext,
  { ctx, session, actor, query }: Call<FleetExportQuery, unknown, never>,
): Promise<void> {
  const { store, logger, closing, exporting } = context;
  const { format, language, ...filter } = query;
  const operator = JSON.stringify(session.identity);
  assertPlace(context, operator);
  limitOperator(context.operatorLimits, 'export', session.identity);
  exporting.add(operator);
  try {
    const auditId = await store.audit.begin({
      ...actor,
      action: 'export',
      installationId: null,
      reason: null,
      target: textOf(filter),
      runId: null,
    });
    const mayGoOn = async () => !closing.aborted && (await hasSession(context, session));
    const file = streamFile({ ...context, mayGoOn }, { format, language, filter });
    const stop = () => file.stream.destroy();
    closing.addEventListener('abort', stop);
    file.stream.once('close', () => {
      closing.removeEventListener('abort', stop);
      exporting.delete(operator);
      void endAudit(context, auditId, { format, ...file.progress });
    });
    file.stream.on('error', (err) => logger.error({ err }, 'export.failed'));
    answerFile(context, ctx, format);
    // If it ends early, Koa cuts the connection, so the client does not take it for complete.
    ctx.body = file.stream;
  } catch (error) {
    exporting.delete(operator);
    throw error;
  }
}

/** @throws ApiError `EXPORT_UNDER_WAY` while an export of the operator runs, or two of others. */
function assertPlace({ exporting }: Pick<ExportContext, 'exporting'>, operator: string): void {
  const isOwn = exporting.has(operator);
  if (!isOwn && exporting.size < maxExports) return;
  const message = isOwn
    ? 'Your last export is under way. Wait for its end.'
    : `${maxExports} exports are under way. Wait for the end of one.`;
  throw new ApiError('EXPORT_UNDER_WAY', message, { headers: { 'Retry-After': '30' } });
}

function answerFile({ now }: ExportContext, ctx: Context, format: FleetExportQuery['format']) {
  const day = new Date(now()).toISOString().slice(0, 10);
  ctx.set({
    'Content-Type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json',
    'Content-Disposition': `attachment; filename="dowel-installations-${day}.${format}"`,
    'Cache-Control': 'no-store',
  });
}

type FileForm = Pick<FleetExportQuery, 'format' | 'language'>;
type Filter = Omit<FleetExportQuery, keyof FileForm>;

interface Progress {
  count: number;
  isWhole: boolean;
}

interface FileContext extends Pick<ExportContext, 'now' | 'maxBlockedMs'> {
  store: Pick<Store, 'reports'>;
  /** Called before each page. False destroys the stream. */
  mayGoOn: () => Promise<boolean>;
}

/** At most one page is read ahead of the client. */
export function streamFile(
  { store, now: clock, mayGoOn, maxBlockedMs = 60_000 }: FileContext,
  { format, language, filter }: FileForm & { filter: Filter },
): { stream: Readable; progress: Progress } {
  const progress: Progress = { count: 0, isWhole: false };
  const now = clock();
  const timer = setTimeout(() => stream.destroy(), maxBlockedMs).unref();
  const beforePage = async () => {
    timer.refresh();
    if (await mayGoOn()) return;
    // Before the throw, which ends the reading: the end of a session is no error for the log.
    stream.destroy();
    throw new Error('The export was broken off');
  };
  const pages = listPages(store, { ...filter, now }, beforePage);
  const lines =
    format === 'csv' ? csvOf(pages, { progress, language }) : jsonOf(pages, progress, now);
  const stream = Readable.from(lines, { highWaterMark: 1 });
  stream.once('close', () => clearTimeout(timer));
  return { stream, progress };
}

/** Ordered by host, which does not change, so each installation appears once. */
async function* listPages(
  { reports }: Pick<Store, 'reports'>,
  filter: Filter & { now: number },
  beforePage: () => Promise<void>,
): AsyncGenerator<FleetInstallation[]> {
  let after: string | undefined;
  do {
    await beforePage();
    const query = { ...filter, limit: pageSize, sort: 'host' as const, ...(after && { after }) };
    const { rows, next } = await reports.listFleet(query);
    yield withStates(rows, filter.now);
    after = next ?? undefined;
  } while (after !== undefined);
}

/** The same shape as `GET /admin/api/fleet/rows`. */
async function* jsonOf(
  pages: AsyncIterable<FleetInstallation[]>,
  progress: Progress,
  now: number,
): AsyncGenerator<string> {
  yield `{"now":${now},"installations":[`;
  for await (const page of pages) {
    const texts = page.map((row) => `\n${JSON.stringify(row)}`);
    if (texts.length > 0) yield `${progress.count === 0 ? '' : ','}${texts.join()}`;
    progress.count += page.length;
  }
  progress.isWhole = true;
  yield '\n]}\n';
}

async function* csvOf(
  pages: AsyncIterable<FleetInstallation[]>,
  { progress, language }: { progress: Progress } & Pick<FileForm, 'language'>,
): AsyncGenerator<string> {
  yield fleetCsvHeader(language);
  for await (const page of pages) {
    progress.count += page.length;
    if (page.length === 0) continue;
    yield page.map((row) => fleetCsvLine(row, language)).join('');
  }
  progress.isWhole = true;
}

/**
 * Describes the filter for the audit, in one line without control characters: `dowel audit` prints it on a terminal.
 * Null: no filter.
 */
function textOf(filter: Filter): string | null {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  if (given.length === 0) return null;
  return withoutControls(given.map(([name, value]) => `${name}=${value}`).join('&'));
}

async function endAudit(
  { store, logger }: ExportContext,
  auditId: number,
  { format, count, isWhole }: Progress & Pick<FleetExportQuery, 'format'>,
): Promise<void> {
  const detail = `${isWhole ? '' : 'Stopped after '}${count} installations, ${format}.`;
  const meaning = { kind: 'exported', count, format, isWhole } as const;
  try {
    await store.audit.end(auditId, { result: isWhole ? 'done' : 'failed', detail, meaning });
  } catch (err) {
    logger.error({ err }, 'export.not_audited');
  }
}

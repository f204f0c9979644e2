/**
 * The filtered list as a file. It is read page by page as fast as the client takes it, in an order that does not
 * move while it is read. Each export has a row in the audit.
 */
import { Readable } from 'node:stream';
import type { Store } from '@dowel/installation-store';
import {
  type FleetExportQuery,
  type FleetInstallation,
  fleetCsvHeader,
  fleetCsvLine,
  fleetExportQuerySchema,
} from '@dowel/schema';
import type Router from '@koa/router';
import type { Context } from 'koa';
import { ApiError } from '../errors.ts';
import type { Log } from '../log/log.ts';
import { readQuery } from '../request/read-query.ts';
import { requestOf } from '../request/server-exchange.ts';
import { actorOf } from './action-routes.ts';
import { withStates } from './fleet-routes.ts';

export interface ExportContext {
  store: Pick<Store, 'reports' | 'audit'>;
  logger: Pick<Log, 'error'>;
  now: () => number;
  /** How many exports of this process are under way. */
  exports: { running: number };
  /** A client that takes nothing for so long is disconnected. */
  maxBlockedMs?: number;
}

/** Each reads the whole list. */
const maxExports = 2;
const pageSize = 100;

/** Register it where a request has an operator who may read. */
export function addExportRoute(router: Router, context: ExportContext): void {
  router.get('/fleet/export', (ctx) => exportFleet(context, ctx));
}

/** @throws ApiError `OVERLOADED` while two others run. */
async function exportFleet(context: ExportContext, ctx: Context): Promise<void> {
  const { store, logger, exports } = context;
  const { format, ...filter } = readQuery(requestOf(ctx, logger), fleetExportQuerySchema);
  if (exports.running >= maxExports) {
    const message = `${maxExports} exports are under way. Wait for the end of one.`;
    throw new ApiError('OVERLOADED', message, { headers: { 'Retry-After': '30' } });
  }
  exports.running += 1;
  try {
    const auditId = await store.audit.begin({
      ...actorOf(ctx),
      action: 'export',
      installationId: null,
      reason: null,
      target: textOf(filter),
      runId: null,
    });
    const file = streamFile(context, { format, filter });
    file.stream.once('close', () => {
      exports.running -= 1;
      void endAudit(context, auditId, { format, ...file.progress });
    });
    file.stream.on('error', (err) => {
      logger.error({ err }, 'export.failed');
      // A file without its end must not look like a whole one.
      ctx.res.destroy();
    });
    answerFile(context, ctx, format);
    ctx.body = file.stream;
  } catch (error) {
    exports.running -= 1;
    throw error;
  }
}

function answerFile({ now }: ExportContext, ctx: Context, format: FleetExportQuery['format']) {
  const day = new Date(now()).toISOString().slice(0, 10);
  ctx.set({
    'Content-Type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json',
    'Content-Disposition': `attachment; filename="dowel-installations-${day}.${format}"`,
    'Cache-Control': 'no-store',
  });
}

type Filter = Omit<FleetExportQuery, 'format'>;

interface Progress {
  count: number;
  isWhole: boolean;
}

type FileContext = Pick<ExportContext, 'store' | 'now' | 'maxBlockedMs'>;

/** At most one page is read ahead of the client. */
export function streamFile(
  { store, now: clock, maxBlockedMs = 60_000 }: FileContext,
  { format, filter }: { format: FleetExportQuery['format']; filter: Filter },
): { stream: Readable; progress: Progress } {
  const progress: Progress = { count: 0, isWhole: false };
  const now = clock();
  const timer = setTimeout(() => stream.destroy(), maxBlockedMs).unref();
  const pages = listPages(store, { ...filter, now }, () => timer.refresh());
  const lines = format === 'csv' ? csvOf(pages, progress) : jsonOf(pages, progress, now);
  const stream = Readable.from(lines, { highWaterMark: 1 });
  stream.once('close', () => clearTimeout(timer));
  return { stream, progress };
}

/** By host, which does not change: each installation comes once. */
async function* listPages(
  { reports }: Pick<Store, 'reports'>,
  filter: Filter & { now: number },
  onPage: () => void,
): AsyncGenerator<FleetInstallation[]> {
  let after: string | undefined;
  do {
    onPage();
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
  progress: Progress,
): AsyncGenerator<string> {
  yield fleetCsvHeader;
  for await (const page of pages) {
    progress.count += page.length;
    if (page.length === 0) continue;
    yield page.map(fleetCsvLine).join('');
  }
  progress.isWhole = true;
}

/** What the list was limited to, for the audit; null: nothing. */
function textOf(filter: Filter): string | null {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  return given.length === 0 ? null : given.map(([name, value]) => `${name}=${value}`).join('&');
}

async function endAudit(
  { store, logger }: ExportContext,
  auditId: number,
  { format, count, isWhole }: Progress & Pick<FleetExportQuery, 'format'>,
): Promise<void> {
  const detail = `${isWhole ? '' : 'Stopped after '}${count} installations, ${format}.`;
  try {
    await store.audit.end(auditId, { result: isWhole ? 'done' : 'failed', detail });
  } catch (err) {
    logger.error({ err }, 'export.not_audited');
  }
}

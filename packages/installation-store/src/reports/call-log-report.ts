/** The log of calls, by keyset pagination, and failed calls by what is equal of them. */
import type { CallEntry, CallGroups, CallGroupsQuery, Calls, CallsQuery } from '@dowel/admin-api';
import { hostOf } from '@dowel/schema';
import { type Kysely, type Selectable, type SqlBool, sql } from 'kysely';
import type { Tables } from '../sql/tables.ts';
import { decodeCursor, encodeCursor } from './report-cursor.ts';

const maxReasons = 50;
const maxHosts = 20;

/** @throws StoreError `CURSOR_INVALID`. */
export async function listCalls(
  db: Kysely<Tables>,
  { limit, after, outcome, ...filters }: CallsQuery,
): Promise<Omit<Calls, 'now'>> {
  const last = after === undefined ? undefined : decodeCursor(after, ['number', 'string']);
  const rows = await selectCalls(db, filters)
    .$if(outcome === 'failed', (query) => query.where('reason', 'is not', null))
    .$if(last !== undefined, (query) =>
      query.where(sql<SqlBool>`(at, call_log.id) < (${sql.join(last ?? [])})`),
    )
    .selectAll('call_log')
    .select([
      'installations.name',
      'installations.issuer',
      'installations.tenant_id',
      'installations.plugin_id',
    ])
    .orderBy('at', 'desc')
    .orderBy('call_log.id', 'desc')
    .limit(limit + 1)
    .execute();
  const page = rows.slice(0, limit);
  const end = page.at(-1);
  const next = rows.length > limit && end ? encodeCursor([end.at, end.id]) : null;
  return { calls: page.map(toEntry), next };
}

export async function groupCalls(
  db: Kysely<Tables>,
  filters: CallGroupsQuery,
): Promise<Omit<CallGroups, 'now'>> {
  const calls = sql<number>`cast(sum(n) as bigint)`;
  const groups = selectCalls(db, filters)
    .where('reason', 'is not', null)
    .select([
      calls.as('calls'),
      sql<number>`cast(count(distinct installation_id) as bigint)`.as('installations'),
      sql<number>`max(at)`.as('lastAt'),
    ])
    .orderBy(calls, 'desc');
  const reasons = await groups
    .select(['reason', 'call_log.status', 'fault', sql<number>`min(first_at)`.as('firstAt')])
    .groupBy(['reason', 'call_log.status', 'fault'])
    .limit(maxReasons)
    .execute();
  const hosts = await groups
    .select('host')
    .where('host', 'is not', null)
    .groupBy('host')
    .limit(maxHosts)
    .execute();
  return {
    reasons: reasons.map((row) => ({ ...row, reason: row.reason ?? '' })),
    hosts: hosts.map((row) => ({ ...row, host: row.host ?? '' })),
  };
}

type Filters = Omit<CallsQuery, 'limit' | 'after' | 'outcome'>;

function selectCalls(
  db: Kysely<Tables>,
  { installationId, pluginId, since, until, ...equal }: Filters,
) {
  const { reason, status, fault, host } = equal;
  return db
    .selectFrom('call_log')
    .innerJoin('installations', 'installations.id', 'call_log.installation_id')
    .where((eb) =>
      eb.and([
        ...(installationId === undefined ? [] : [eb('installation_id', '=', installationId)]),
        ...(pluginId === undefined ? [] : [eb('plugin_id', '=', pluginId)]),
        ...(since === undefined ? [] : [eb('at', '>=', since)]),
        ...(until === undefined ? [] : [eb('at', '<', until)]),
        ...(reason === undefined ? [] : [sql<SqlBool>`reason = ${reason}`]),
        ...(status === undefined ? [] : [eb('call_log.status', '=', status)]),
        ...(fault === undefined ? [] : [eb('fault', '=', fault)]),
        ...(host === undefined ? [] : [eb('host', '=', host)]),
      ]),
    );
}

type SelectedCall = Selectable<Tables['call_log']> &
  Pick<Selectable<Tables['installations']>, 'name' | 'issuer' | 'tenant_id' | 'plugin_id'>;

function toEntry(row: SelectedCall): CallEntry {
  return {
    id: row.id,
    installation: {
      id: row.installation_id,
      name: row.name,
      host: hostOf(row.issuer),
      tenantId: row.tenant_id,
      pluginId: row.plugin_id,
    },
    count: row.n,
    firstAt: row.first_at,
    lastAt: row.at,
    operation: row.operation,
    method: row.method,
    path: row.path,
    host: row.host,
    status: row.status,
    reason: row.reason,
    fault: row.fault,
    durationMs: row.duration_ms,
    attempts: row.attempts,
    requestId: row.request_id,
    userId: row.user_id,
    answer: row.answer,
  };
}

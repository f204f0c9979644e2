/** The log of calls, by keyset pagination, and failed calls by what is equal of them. */
import type { CallEntry, CallGroups, CallGroupsQuery, Calls, CallsQuery } from '@dowel/admin-api';
import { hostOf } from '@dowel/schema';
import { type Kysely, type Selectable, type SqlBool, sql } from 'kysely';
import type { Tables } from '../sql/tables.ts';
import { decodeCursor, encodeCursor } from './report-cursor.ts';

const maxReasons = 50;
const maxHosts = 20;
const maxCounted = 20_000;

/** @throws StoreError `CURSOR_INVALID`. */
export async function listCalls(
  db: Kysely<Tables>,
  { limit, after, outcome, ...filters }: CallsQuery,
): Promise<Omit<Calls, 'now'>> {
  const last = after === undefined ? undefined : decodeCursor(after, ['number', 'string']);
  const rows = await selectCalls(db, filters)
    .$if(outcome === 'failed', (query) => query.where('reason', 'is not', null))
    .innerJoin('installations', 'installations.id', 'call_log.installation_id')
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

/** Counts the latest 20,000 rows at most: an outage of many tenants fills the log within an hour. */
export async function groupCalls(
  db: Kysely<Tables>,
  filters: CallGroupsQuery,
): Promise<Omit<CallGroups, 'now'>> {
  const latest = selectCalls(db, filters)
    .where('reason', 'is not', null)
    .select([
      'installation_id',
      'host',
      'reason',
      'call_log.status',
      'fault',
      'n',
      'at',
      'first_at',
    ])
    .orderBy('at', 'desc')
    .limit(maxCounted);
  const parts = await db
    .selectFrom(latest.as('latest'))
    .select([
      'installation_id as installationId',
      'host',
      'reason',
      'status',
      'fault',
      sql<number>`cast(count(*) as bigint)`.as('rows'),
      sql<number>`cast(sum(n) as bigint)`.as('calls'),
      sql<number>`max(at)`.as('lastAt'),
      sql<number>`min(first_at)`.as('firstAt'),
    ])
    .groupBy(['installation_id', 'host', 'reason', 'status', 'fault'])
    .execute();
  const counted = parts.reduce((sum, { rows }) => sum + rows, 0);
  const reasons = addUp(parts, ({ reason, status, fault }) => ({
    reason: reason ?? '',
    status,
    fault,
  }));
  const hosts = addUp(
    parts.filter(({ host }) => host !== null),
    ({ host }) => ({ host: host ?? '' }),
  );
  return {
    countedFrom: counted < maxCounted ? null : Math.min(...reasons.map(({ firstAt }) => firstAt)),
    reasons: reasons.slice(0, maxReasons),
    hosts: hosts.slice(0, maxHosts),
  };
}

interface Part {
  installationId: string;
  calls: number;
  lastAt: number;
  firstAt: number;
}

/** Adds up the parts that have the same key; the most calls first. */
function addUp<P extends Part, Key extends object>(parts: readonly P[], keyOf: (part: P) => Key) {
  const groups = Map.groupBy(parts, (part) => JSON.stringify(keyOf(part)));
  return [...groups.values()]
    .map((group) => ({
      ...keyOf(group[0] as P),
      calls: group.reduce((sum, { calls }) => sum + calls, 0),
      installations: new Set(group.map(({ installationId }) => installationId)).size,
      lastAt: group.reduce((last, { lastAt }) => Math.max(last, lastAt), 0),
      firstAt: group.reduce((first, { firstAt }) => Math.min(first, firstAt), Infinity),
    }))
    .toSorted((one, other) => other.calls - one.calls);
}

type Filters = Omit<CallsQuery, 'limit' | 'after' | 'outcome'>;

function selectCalls(
  db: Kysely<Tables>,
  { installationId, pluginId, since, until, ...equal }: Filters,
) {
  const { reason, status, fault, host } = equal;
  return db
    .selectFrom('call_log')
    .where((eb) =>
      eb.and([
        ...(installationId === undefined ? [] : [eb('installation_id', '=', installationId)]),
        ...(pluginId === undefined ? [] : [isOfPlugin(pluginId)]),
        ...(since === undefined ? [] : [eb('at', '>=', since)]),
        ...(until === undefined ? [] : [eb('at', '<', until)]),
        ...(reason === undefined ? [] : [sql<SqlBool>`reason = ${reason}`]),
        ...(status === undefined ? [] : [eb('call_log.status', '=', status)]),
        ...(fault === undefined ? [] : [eb('fault', '=', fault)]),
        ...(host === undefined ? [] : [eb('host', '=', host)]),
      ]),
    );
}

/** Not read from the installations: a plug-in may have all of them, and the latest calls are wanted. */
const isOfPlugin = (pluginId: string) =>
  sql<SqlBool>`exists (select 1 from installations as called
    where called.id = call_log.installation_id and called.plugin_id = ${pluginId})`;

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

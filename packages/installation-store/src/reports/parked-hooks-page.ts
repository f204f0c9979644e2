/** The parked hook deliveries of all installations, by keyset pagination: the latest parked first. */
import type { ParkedHookEntry, ParkedHooksQuery } from '@dowel/admin-api';
import { hostOf } from '@dowel/schema';
import { type Kysely, sql } from 'kysely';
import { hookIdOf } from '../sql/hook-id.ts';
import type { Tables } from '../sql/tables.ts';
import { decodeCursor, encodeCursor } from './report-cursor.ts';

// As in the index: SQLite compares the text.
export const isParked = sql<boolean>`hook_deliveries.state = 'parked'`;
const cursorKinds = ['number', 'string', 'number'] as const;

/** @throws StoreError `CURSOR_INVALID`. */
export async function listParkedHooks(
  db: Kysely<Tables>,
  { after, limit }: ParkedHooksQuery,
): Promise<{ deliveries: ParkedHookEntry[]; next: string | null }> {
  const rows = await selectParked(db, after)
    .limit(limit + 1)
    .execute();
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const next =
    rows.length > limit && last
      ? encodeCursor([last.settled_at ?? 0, last.installation_id, last.sequence])
      : null;
  return { deliveries: page.map(toEntry), next };
}

function selectParked(db: Kysely<Tables>, after: string | undefined) {
  const key = after === undefined ? undefined : decodeCursor(after, cursorKinds);
  return db
    .selectFrom('hook_deliveries')
    .innerJoin('installations', 'installations.id', 'hook_deliveries.installation_id')
    .select([
      'hook_deliveries.installation_id',
      'sequence',
      'event',
      'attempts',
      'replays',
      'occurred_at',
      'settled_at',
      'last_error',
      'installations.name',
      'installations.issuer',
      'installations.tenant_id',
      'installations.plugin_id',
    ])
    .where(isParked)
    .$if(key !== undefined, (query) =>
      query.where(
        sql<boolean>`(settled_at, hook_deliveries.installation_id, sequence) < (${sql.join(key ?? [])})`,
      ),
    )
    .orderBy('settled_at', 'desc')
    .orderBy('hook_deliveries.installation_id', 'desc')
    .orderBy('sequence', 'desc');
}

type SelectedHook = Awaited<ReturnType<ReturnType<typeof selectParked>['execute']>>[number];

function toEntry(row: SelectedHook): ParkedHookEntry {
  return {
    id: hookIdOf({ installationId: row.installation_id, sequence: row.sequence }),
    installation: {
      id: row.installation_id,
      name: row.name,
      host: hostOf(row.issuer),
      tenantId: row.tenant_id,
      pluginId: row.plugin_id,
    },
    hook: row.event,
    attempts: row.attempts,
    replays: row.replays,
    occurredAt: row.occurred_at,
    parkedAt: row.settled_at ?? row.occurred_at,
    lastError: row.last_error ?? '',
  };
}

import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Tables } from '../sql/tables.ts';

const maxPluginIds = 50;

/** The first 50, in their order. A plug-in has one id and many installations, so more are not expected. */
export async function listPluginIds(db: Kysely<Tables>): Promise<string[]> {
  const { rows } = await selectPluginIds().execute(db);
  return rows.map(({ id }) => id);
}

/** Looks into the index once for each id, instead of reading all rows. */
export function selectPluginIds(): RawBuilder<{ id: string }> {
  const following = sql`select min(plugin_id) from installations where plugin_id > ids.id`;
  return sql`with recursive ids (id) as (
      select min(plugin_id) from installations
      union all select (${following}) from ids where id is not null
    ) select id from ids where id is not null limit ${maxPluginIds}`;
}

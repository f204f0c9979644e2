/** What a text in the list's search field finds. */
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Tables } from '../sql/tables.ts';
import { containing, startingWith } from './fleet-filter.ts';

/** Sorts after every text that begins with a prefix. */
const lastCharacter = '\u{10ffff}';
const maxPluginIds = 50;

/** Name, host, own id and tenant's id. Hosts and ids are in lower case. */
const searchText = sql`lower(name || ' ' || issuer || ' ' || tenant_id || ' ' || id)`;

/**
 * The rows that a text finds: a part of the name, of the host, of the id or of the tenant's or plug-in's id. One or two
 * letters are in nearly every id, so they find only what begins with them.
 */
export async function searchCondition(
  db: Kysely<Tables>,
  text: string,
): Promise<RawBuilder<SqlBool>> {
  const wanted = text.toLowerCase();
  if (wanted.length < 3) return beginsWith(wanted);
  const pluginIds = await listPluginIds(db);
  const ofPlugins = pluginIds.filter((id) => id.includes(wanted));
  const isFound = sql<SqlBool>`${searchText} like ${containing(wanted)} escape '!'`;
  if (ofPlugins.length === 0) return isFound;
  return sql<SqlBool>`(plugin_id in (${sql.join(ofPlugins)}) or ${isFound})`;
}

function beginsWith(prefix: string): RawBuilder<SqlBool> {
  const ranges = [
    ['issuer', `https://${prefix}`],
    ['issuer', `http://${prefix}`],
    ['id', prefix],
    ['tenant_id', prefix],
  ].map(
    ([column = '', from = '']) =>
      sql<SqlBool>`(${sql.ref(column)} >= ${from} and ${sql.ref(column)} < ${from + lastCharacter})`,
  );
  const isNamed = sql`lower(name) like ${startingWith(prefix)} escape '!'`;
  return sql<SqlBool>`(${sql.join([...ranges, isNamed], sql` or `)})`;
}

/** One look into the index for each: there are few plug-ins and many installations. */
export async function listPluginIds(db: Kysely<Tables>): Promise<string[]> {
  const found: string[] = [];
  while (found.length < maxPluginIds) {
    const next = await db
      .selectFrom('installations')
      .select('plugin_id as id')
      .where('plugin_id', '>', found.at(-1) ?? '')
      .orderBy('plugin_id')
      .limit(1)
      .executeTakeFirst();
    if (!next) break;
    found.push(next.id);
  }
  return found;
}

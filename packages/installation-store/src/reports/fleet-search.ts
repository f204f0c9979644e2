/** What a text in the list's search field finds (docs/decisions/0049-search.md). */
import { findsBeginnings, foldSearch, foldText } from '@dowel/schema';
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from '../sql/database.ts';
import type { Tables } from '../sql/tables.ts';
import { isSearchFilled, type TextLimits, type TextMatches } from '../sql/text-index.ts';
import { containing, startingWith } from './fleet-filter.ts';

/** Sorts after every text that begins with a prefix. */
const lastCharacter = '\u{10ffff}';
const maxPluginIds = 50;

export interface SearchResult extends TextMatches {
  /** Whether a row of the installations has the text. */
  matches: RawBuilder<SqlBool>;
}

/**
 * The installations that a text finds: by a part of the name, of the host, of the id or of the tenant's or plug-in's
 * id. One or two letters are in nearly every id, so they find only what begins with them. Undefined: no text.
 */
export async function searchFleet(
  { db, textIndex }: Pick<Database, 'db' | 'textIndex'>,
  search: string | undefined,
  limits: TextLimits,
): Promise<SearchResult | undefined> {
  const folded = foldSearch(search ?? '');
  if (folded === '') return undefined;
  const isFilled = await isSearchFilled(db);
  if (findsBeginnings(folded)) return findBeginnings(db, folded, { isFilled, ...limits });
  const pluginIds = (await listPluginIds(db)).filter((id) => foldText(id).includes(folded));
  const hasText = isFilled ? textContains(folded) : rowContains(folded);
  const byText = isFilled
    ? await textIndex.find(db, folded, limits)
    : await selectUpTo(db, sql`select id from installations where ${hasText}`, limits);
  if (pluginIds.length === 0) return { ...byText, matches: hasText };
  const isOfPlugins = sql<SqlBool>`plugin_id in (${sql.join(pluginIds)})`;
  const ofPlugins = sql`select id from installations where ${isOfPlugins}`;
  const found = unite(byText, await selectUpTo(db, ofPlugins, limits), limits);
  return { ...found, matches: sql<SqlBool>`(${isOfPlugins} or ${hasText})` };
}

/** Name, host, own id and tenant's id. Hosts and ids are in lower case. */
const rowText = sql`lower(name || ' ' || issuer || ' ' || tenant_id || ' ' || id)`;

function rowContains(folded: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`${rowText} like ${containing(folded)} escape '!'`;
}

/** A look at the text of one row. As a join, it could be planned as a search through all texts. */
function textContains(folded: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`(select text from search_texts where installation_id = id)
    like ${containing(folded)} escape '!'`;
}

/** A range of an index for each beginning. */
async function findBeginnings(
  db: Kysely<Tables>,
  prefix: string,
  { isFilled, ...limits }: TextLimits & { isFilled: boolean },
): Promise<SearchResult> {
  const parts = beginnings(prefix, isFilled);
  const found = await selectUpTo(db, selectAny(parts, limits), limits);
  return { ...found, matches: sql<SqlBool>`(${sql.join(parts, sql` or `)})` };
}

export function beginnings(prefix: string, isFilled: boolean): RawBuilder<SqlBool>[] {
  const named = sql`select installation_id from search_texts where ${inRange('name', prefix)}`;
  return [
    inRange('issuer', `https://${prefix}`),
    inRange('issuer', `http://${prefix}`),
    inRange('id', prefix),
    inRange('tenant_id', prefix),
    isFilled
      ? sql<SqlBool>`id in (${named})`
      : sql<SqlBool>`lower(name) like ${startingWith(prefix)} escape '!'`,
  ];
}

/** Each part is read with a limit of its own, by its own index. */
export function selectAny(
  parts: readonly RawBuilder<SqlBool>[],
  { maxFound }: Pick<TextLimits, 'maxFound'>,
): RawBuilder<unknown> {
  const selects = parts.map(
    (part) => sql`select * from (select id from installations where ${part}
      limit ${maxFound + 1}) as part`,
  );
  return sql.join(selects, sql` union `);
}

function inRange(column: string, prefix: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${sql.ref(column)} >= ${prefix} and ${sql.ref(column)} < ${prefix + lastCharacter})`;
}

/** Stops one above the limit. */
async function selectUpTo(
  db: Kysely<Tables>,
  select: RawBuilder<unknown>,
  { maxFound }: TextLimits,
): Promise<TextMatches> {
  const { rows } = await sql<{ id: string }>`${select} limit ${maxFound + 1}`.execute(db);
  const isMany = rows.length > maxFound;
  return { ids: isMany ? undefined : rows.map(({ id }) => id), isMany };
}

function unite(one: TextMatches, other: TextMatches, { maxFound }: TextLimits): TextMatches {
  if (!one.ids || !other.ids) return { ids: undefined, isMany: one.isMany || other.isMany };
  const ids = [...new Set([...one.ids, ...other.ids])];
  const isMany = ids.length > maxFound;
  return { ids: isMany ? undefined : ids, isMany };
}

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

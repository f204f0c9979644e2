/** The text of each installation that a search looks through, and the index that finds parts of it. */
import { searchedTexts } from '@dowel/schema';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { Database } from './database.ts';
import type { Tables } from './tables.ts';

export type SearchText = Pick<Selectable<Tables['search_texts']>, 'number' | 'text'>;

/** How much one search may cost. */
export interface TextLimits {
  /** The most installations that a search returns. */
  maxFound: number;
  /** How many candidates are compared if the index finds too many. */
  maxLookedAt: number;
}

export interface TextMatches {
  /** Every installation that has the text; undefined: too many, or unknown. */
  ids: string[] | undefined;
  /** There are more than `maxFound`. False, without ids: it was too much work to find out. */
  isMany: boolean;
}

/** Finds parts of the texts. Each engine has its own. */
export interface TextIndex {
  /** Adds rows of the texts, in the transaction that wrote them. */
  add(db: Kysely<Tables>, rows: readonly SearchText[]): Promise<void>;
  /** Removes rows with the texts that they were added with, in the transaction that deletes or changes them. */
  remove(db: Kysely<Tables>, rows: readonly SearchText[]): Promise<void>;
  /** @param folded at least three letters. */
  find(db: Kysely<Tables>, folded: string, limits: TextLimits): Promise<TextMatches>;
}

export interface Searchable {
  id: string;
  issuer: string;
  tenantId: string;
  name: string;
}

type Context = Pick<Database, 'db' | 'textIndex'>;

/** Writes the texts of installations that have none. */
export async function addSearchTexts(
  { db, textIndex }: Context,
  installations: readonly Searchable[],
): Promise<void> {
  if (installations.length === 0) return;
  const added = await db
    .insertInto('search_texts')
    .values(installations.map(textOf))
    .onConflict((conflict) => conflict.column('installation_id').doNothing())
    .returning(['number', 'text'])
    .execute();
  await textIndex.add(db, added);
}

/** Call it when the installation has got another name. */
export async function renameSearchText(context: Context, id: string): Promise<void> {
  const { db, textIndex } = context;
  const installation = await db
    .selectFrom('installations')
    .select(['id', 'issuer', 'tenant_id as tenantId', 'name'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!installation) return;
  await textIndex.remove(db, await listTexts(db, [id]));
  const { text, name } = textOf(installation);
  const written = await db
    .insertInto('search_texts')
    .values(textOf(installation))
    .onConflict((conflict) => conflict.column('installation_id').doUpdateSet({ text, name }))
    .returning(['number', 'text'])
    .execute();
  await textIndex.add(db, written);
}

/** Before the installations are deleted. */
export async function removeSearchTexts(
  { db, textIndex }: Context,
  ids: readonly string[],
): Promise<void> {
  await textIndex.remove(db, await listTexts(db, ids));
  await db.deleteFrom('search_texts').where('installation_id', 'in', ids).execute();
}

/** Whether every installation has its text. */
export async function isSearchFilled(db: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ is_complete: number }>`
    select is_complete from search_filling`.execute(db);
  return rows[0]?.is_complete === 1;
}

function listTexts(db: Kysely<Tables>, ids: readonly string[]): Promise<SearchText[]> {
  return db
    .selectFrom('search_texts')
    .select(['number', 'text'])
    .where('installation_id', 'in', ids)
    .execute();
}

/** A line each: no search goes over the end of one. */
function textOf(installation: Searchable) {
  const texts = searchedTexts(installation);
  const [name = ''] = texts;
  return {
    installation_id: installation.id,
    text: texts.join('\n'),
    name: name === '' ? null : name,
  };
}

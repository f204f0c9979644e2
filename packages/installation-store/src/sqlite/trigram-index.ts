/**
 * Finds parts of texts with FTS5. The index contains each group of three letters of a text, but not the text.
 * It finds the texts that have all groups, in any places, so the texts are compared afterwards.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { type Parameter, prepare } from '../sql/prepare.ts';
import type { Tables } from '../sql/tables.ts';
import type { SearchText, TextIndex } from '../sql/text-index.ts';

const groupLength = 3;
/** A host has some thirty groups. The first ones leave few candidates, and each costs a look. */
const maxGroups = 12;

/** `secure-delete`: deleted entries leave the index at once, not only when its pages are merged later. */
export async function createTrigramIndex(db: Kysely<unknown>): Promise<void> {
  await sql`create virtual table search_trigrams using fts5(text, content='', detail=none,
    tokenize='trigram case_sensitive 1')`.execute(db);
  await sql`insert into search_trigrams (search_trigrams, rank) values ('secure-delete', 1)`.execute(
    db,
  );
}

export const trigramIndex: TextIndex = {
  async add(db, rows) {
    for (const row of rows) await addRow({ db }, row);
  },
  async remove(db, rows) {
    for (const row of rows) await removeRow({ db }, row);
  },
  async find(db, folded, { maxFound, maxLookedAt }) {
    const { rows } = await selectTrigramMatches(folded, maxLookedAt + 1).execute(db);
    const [{ looked, ids } = { looked: 0, ids: '[]' }] = rows;
    const found = JSON.parse(ids) as string[];
    const isMany = found.length > maxFound;
    return { ids: isMany || looked > maxLookedAt ? undefined : found, isMany };
  },
};

/** One row: of so many candidates, those that have the text. */
export function selectTrigramMatches(folded: string, limit: number) {
  return sql<{ looked: number; ids: string }>`
    select count(*) as looked, json_group_array(installation_id)
      filter (where instr(text, ${folded}) > 0) as ids
    from (select rowid as candidate from search_trigrams
      where search_trigrams match ${groupsOf(folded)} limit ${limit})
    cross join search_texts on number = candidate`;
}

const addRow = prepare(({ db }: { db: Kysely<Tables> }, value: Parameter<SearchText>) =>
  compiledFor(
    db,
    sql`insert into search_trigrams (rowid, text)
    values (${value('number')}, ${value('text')})`,
  ),
);

const removeRow = prepare(({ db }: { db: Kysely<Tables> }, value: Parameter<SearchText>) =>
  compiledFor(
    db,
    sql`insert into search_trigrams (search_trigrams, rowid, text)
    values ('delete', ${value('number')}, ${value('text')})`,
  ),
);

function compiledFor(db: Kysely<Tables>, statement: RawBuilder<unknown>) {
  return { compile: () => statement.compile(db) };
}

/** Every group must be there. In quotes, no letter of it is an operator. */
function groupsOf(folded: string): string {
  const letters = Array.from(folded);
  const count = Math.min(letters.length - groupLength + 1, maxGroups);
  return Array.from({ length: count }, (_, index) => {
    const group = letters.slice(index, index + groupLength).join('');
    return `"${group.replaceAll('"', '""')}"`;
  }).join(' AND ');
}

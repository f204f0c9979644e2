/** Whether an installation is paused: by an operator (docs/decisions/0043), or because it rests (docs/decisions/0018). */
import { sql } from 'kysely';

/** For a row of another table: `idColumn` is its column with the installation's id. */
export function isNotPaused(idColumn: string) {
  return sql<boolean>`not exists (select 1 from installations as held
    where held.id = ${sql.ref(idColumn)} and held.paused_at is not null)`;
}

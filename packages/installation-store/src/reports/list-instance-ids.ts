import type { Kysely } from 'kysely';
import type { Tables } from '../sql/tables.ts';

/** The placed instances of an installation. */
export async function listInstanceIds(
  db: Kysely<Tables>,
  installationId: string,
): Promise<string[]> {
  const rows = await db
    .selectFrom('instances')
    .select('instance_id')
    .where('installation_id', '=', installationId)
    .where('removed', '=', 0)
    .orderBy('instance_id')
    .execute();
  return rows.map((row) => row.instance_id);
}

/** Copies rows from one database to another that has fewer tables and columns. */
import type { TestDatabase } from '@dowel/installation-store/testing';

/** Tables in the order of their references. */
const tables = [
  'installations',
  'grants',
  'instances',
  'events',
  'inbox',
  'token_operations',
  'plugin_sessions',
  'admin_sessions',
];

/** The number of rows of each table. */
export async function countRows(database: TestDatabase): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of tables) {
    counts[table] = (await database.execute(`select 1 from ${table}`)).length;
  }
  return counts;
}

export async function copyRows(from: TestDatabase, to: TestDatabase): Promise<void> {
  for (const table of tables) {
    const columns = await listColumns(to, table);
    // `overriding system value` allows to insert into a column that the database numbers itself.
    const overriding =
      'url' in to.location && columns.includes('id') ? 'overriding system value' : '';
    for (const row of await from.execute(`select ${columns.join(', ')} from ${table}`)) {
      const values = columns.map((column) => literal(row[column]));
      await to.execute(
        `insert into ${table} (${columns.join(', ')}) ${overriding} values (${values.join(', ')})`,
      );
    }
  }
}

async function listColumns({ execute, location }: TestDatabase, table: string): Promise<string[]> {
  const rows = await execute(
    'url' in location
      ? `select column_name as name from information_schema.columns where table_name = '${table}'`
      : `select name from pragma_table_info('${table}')`,
  );
  return rows.map(({ name }) => String(name));
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  return typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`;
}

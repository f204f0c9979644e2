/**
 * The databases of a test run: one throw-away PostgreSQL, unless DOWEL_TEST_POSTGRES_URL names a server, and for
 * each kind a template, which each test copies.
 */
import {
  findPostgresBinaries,
  postgresMissing,
  startPostgres,
} from '../packages/installation-store/src/testing/postgres-cluster.ts';
import {
  createTemplate,
  postgres,
  sqlite,
} from '../packages/installation-store/src/testing/test-databases.ts';

export async function setup(): Promise<() => Promise<void>> {
  await using cleanUp = new AsyncDisposableStack();
  cleanUp.defer(await provideServer());
  const sqliteTemplate = await createTemplate(sqlite);
  cleanUp.defer(sqliteTemplate.drop);
  process.env.DOWEL_TEST_SQLITE_TEMPLATE = sqliteTemplate.name;
  if (process.env.DOWEL_TEST_POSTGRES_URL) {
    const template = await createTemplate(postgres);
    cleanUp.defer(template.drop);
    process.env.DOWEL_TEST_POSTGRES_TEMPLATE = template.name;
  }
  const kept = cleanUp.move();
  return () => kept.disposeAsync();
}

async function provideServer(): Promise<() => Promise<void>> {
  const nothing = async () => {};
  if (process.env.DOWEL_TEST_POSTGRES_URL) return nothing;
  const binaries = findPostgresBinaries();
  if (!binaries) {
    process.stderr.write(`${postgresMissing}\n`);
    return nothing;
  }
  const { url, stop } = await startPostgres(binaries);
  process.env.DOWEL_TEST_POSTGRES_URL = url;
  return stop;
}

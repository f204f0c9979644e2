/** One throw-away PostgreSQL for a test run, unless DOWEL_TEST_POSTGRES_URL names a server. */
import {
  findPostgresBinaries,
  postgresMissing,
  startPostgres,
} from '../packages/installation-store/src/testing/postgres-cluster.ts';
import { createTemplate } from '../packages/installation-store/src/testing/test-databases.ts';

export async function setup(): Promise<(() => Promise<void>) | undefined> {
  const stop = await provideServer();
  if (!process.env.DOWEL_TEST_POSTGRES_URL) return undefined;
  const { name, drop } = await createTemplate();
  process.env.DOWEL_TEST_POSTGRES_TEMPLATE = name;
  return async () => {
    await drop();
    await stop?.();
  };
}

async function provideServer(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.DOWEL_TEST_POSTGRES_URL) return undefined;
  const binaries = findPostgresBinaries();
  if (!binaries) {
    process.stderr.write(`${postgresMissing}\n`);
    return undefined;
  }
  const { url, stop } = await startPostgres(binaries);
  process.env.DOWEL_TEST_POSTGRES_URL = url;
  return stop;
}

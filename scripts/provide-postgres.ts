/** Debian's PostgreSQL for the tests, installed if it is missing, as root. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPostgresBinaries } from '../packages/installation-store/src/testing/postgres-cluster.ts';
import { installDebianPackage, mayInstall } from './install-debian-package.ts';

/** Keeps the package from creating a server for the whole machine. */
const settingsFolder = '/etc/postgresql-common/createcluster.d';

/** Does nothing if PostgreSQL exists or cannot be installed; the test run then reports it missing. */
export async function providePostgres(): Promise<void> {
  const isThere = process.env.DOWEL_TEST_POSTGRES_URL || findPostgresBinaries();
  if (isThere || !mayInstall()) return;
  const setting = join(settingsFolder, 'dowel-tests.conf');
  mkdirSync(settingsFolder, { recursive: true });
  writeFileSync(setting, 'create_main_cluster = false\n');
  await installDebianPackage('postgresql');
  rmSync(setting);
}

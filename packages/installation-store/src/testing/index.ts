/** For tests of this package and of others: real databases, one for each test. */

export { describeInstallation } from './describe-installation.ts';
export { encodingsOf } from './encodings-of.ts';
export { failAtExit } from './fail-at-exit.ts';
export { listMigrations, migrateTo } from './former-schema.ts';
export {
  findPostgresBinaries,
  startPostgres,
} from './postgres-cluster.ts';
export { type PostgresPair, startPair } from './postgres-pair.ts';
export { longestBroken, makeSampleFleet, withoutScope } from './sample-fleet.ts';
export { assertGrantOf, seedGrants } from './seed-grants.ts';
export { seededId, seededKey, seededSecrets, seedInstallations } from './seed-installations.ts';
export { type StoreProcess, startStoreProcess } from './start-store-process.ts';
export { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';
export {
  createDatabaseFile,
  postgres,
  sqlite,
  type TestDatabase,
  type TestDatabaseKind,
  testDatabases,
  usualDatabases,
} from './test-databases.ts';

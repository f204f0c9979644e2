/** Starts PostgreSQL, prints its URL, and ends it when standard input does. */
import { once } from 'node:events';
import {
  findPostgresBinaries,
  postgresMissing,
  startPostgres,
} from '../packages/installation-store/src/testing/postgres-cluster.ts';

const binaries = findPostgresBinaries();
if (!binaries) {
  process.stderr.write(`${postgresMissing}\n`);
  process.exit();
}
// A terminal's Ctrl-C goes to the whole group; the end of standard input is what counts.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
const cluster = await startPostgres(binaries);
process.stdout.write(`${cluster.url}\n`);
await once(process.stdin.resume(), 'end');
await cluster.stop();

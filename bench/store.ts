/**
 * The cost of a store of 1,000, 100,000 and 1,000,000 installations, on SQLite and PostgreSQL: each size
 * as a ratio to the smallest, in alternating rounds. `pnpm --filter @dowel/bench store`; `--write` renews
 * docs/benchmarks.md. BENCH_SIZES takes other sizes, such as 1000,20000.
 *
 * A million on both takes 10 GB of disk and a quarter of an hour.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createKeyring } from '@dowel/installation-store';
import {
  findPostgresBinaries,
  seedInstallations,
  startPostgres,
  type TestDatabase,
  type TestDatabaseKind,
  testDatabases,
} from '@dowel/installation-store/testing';
import { reportSection } from './report-section.ts';
import { describeStores, type Series, type StoreFigures } from './store-report.ts';
import type { Latencies } from './store-worker.ts';

const sizes = (process.env.BENCH_SIZES || '1000,100000,1000000').split(',').map(Number);
const rounds = 9;

const countBytes: Record<TestDatabaseKind['name'], string> = {
  SQLite: 'select page_count * page_size as bytes from pragma_page_count, pragma_page_size',
  PostgreSQL: 'select cast(pg_database_size(current_database()) as float8) as bytes',
};

interface Subject extends StoreFigures {
  database: TestDatabase;
  worker: ChildProcess;
}

async function prepare(kind: TestDatabaseKind, size: number): Promise<Subject> {
  const key = randomBytes(32);
  const database = await kind.create();
  const { location } = database;
  const startedAt = performance.now();
  await seedInstallations({ location, keyring: createKeyring(key), count: size, at: Date.now() });
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  console.error(`${kind.name}: ${size} installations written in ${seconds} s`);
  const [row] = await database.execute(countBytes[kind.name]);
  const worker = fork(fileURLToPath(new URL('store-worker.ts', import.meta.url)), {
    env: {
      ...process.env,
      BENCH_LOCATION: JSON.stringify(location),
      BENCH_KEY: key.toString('hex'),
      BENCH_SIZE: String(size),
    },
  });
  await once(worker, 'message');
  const bytes = Number(row?.bytes);
  return { kind: kind.name, size, database, worker, bytes, memory: 0, rounds: [] };
}

async function ask<Answer>({ worker }: Subject, question: 'round' | 'memory'): Promise<Answer> {
  const answered = once(worker, 'message');
  worker.send(question);
  const [answer] = (await answered) as [Answer];
  return answer;
}

/** The first round warms up. */
async function measure(kind: TestDatabaseKind): Promise<Series> {
  const subjects: Subject[] = [];
  try {
    for (const size of sizes) subjects.push(await prepare(kind, size));
    for (let round = 0; round <= rounds; round += 1) {
      for (const subject of subjects) {
        const latencies = await ask<Latencies>(subject, 'round');
        if (round > 0) subject.rounds.push(latencies);
      }
    }
    for (const subject of subjects) subject.memory = await ask<number>(subject, 'memory');
    return subjects;
  } finally {
    for (const { worker, database } of subjects) {
      const exited = once(worker, 'exit');
      worker.disconnect();
      await exited;
      await database.destroy();
    }
  }
}

const binaries = findPostgresBinaries();
const cluster = binaries ? await startPostgres(binaries, { durable: true }) : undefined;
if (cluster) process.env.DOWEL_TEST_POSTGRES_URL = cluster.url;
const all: Series[] = [];
for (const kind of testDatabases) {
  if (!cluster && kind.name === 'PostgreSQL') continue;
  all.push(await measure(kind));
}
await cluster?.stop();

await reportSection('store', describeStores(all));

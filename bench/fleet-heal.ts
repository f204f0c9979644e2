/**
 * The look for installations that need healing, when none is due: each process looks every 5 s. What counts is
 * how long a look blocks the event loop: the CPU time of the main thread. Waiting for the disk blocks nothing.
 */
import { type TestDatabaseKind, testDatabases } from '@dowel/installation-store/testing';
import { median } from './rounds.ts';

export interface Heal {
  database: string;
  installations: number;
  p50Ms: number;
  maxMs: number;
}

const sizes = [1_000, 1_000_000];
const looks = 200;
const claimedAtOnce = 100;
const laterMs = 600_000;

export async function measureHeal(hasPostgres: boolean): Promise<Heal[]> {
  const results: Heal[] = [];
  for (const kind of testDatabases) {
    if (kind.name === 'PostgreSQL' && !hasPostgres) continue;
    for (const installations of sizes) results.push(await measureOn(kind, installations));
  }
  return results;
}

async function measureOn(kind: TestDatabaseKind, installations: number): Promise<Heal> {
  const database = await kind.create();
  const store = await database.open();
  await database.execute(insertInto(kind.name, installations));
  const times: number[] = [];
  for (let look = 0; look < looks; look += 1) {
    const before = process.threadCpuUsage();
    const due = await store.renewals.claimDue(claimedAtOnce);
    const { user, system } = process.threadCpuUsage(before);
    times.push((user + system) / 1_000);
    if (due.length > 0) throw new Error('An installation is due');
  }
  await store.close();
  await database.destroy();
  return { database: kind.name, installations, p50Ms: median(times), maxMs: Math.max(...times) };
}

/** A tenth of the installations waits for an event, and none is due. The database has no statistics. */
function insertInto(kind: TestDatabaseKind['name'], count: number): string {
  const numbers =
    kind === 'SQLite'
      ? `(with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count})
          select n from numbers)`
      : `(select n from generate_series(1, ${count}) as n)`;
  return `insert into installations (id, issuer, tenant_id, plugin_id, status, generation,
      token_version, began_iat, created_at, heal_at)
    select cast(n as text), 'https://a.example.com', cast(n as text), 'p',
      case when n % 10 = 0 then 'awaiting_event' else 'active' end, 1, 1, 1, n,
      case when n % 10 = 0 then ${Date.now() + laterMs} end
    from ${numbers} as numbered`;
}

/**
 * Access tokens that end together: three calls of each of 1,000 tenants, and 3,000 of one tenant, in one process and in
 * four, on quick and slow disks. `pnpm --filter @dowel/bench herd`; `--write` renews docs/benchmarks.md.
 * BENCH_TENANTS takes another number. Slow disks need a C compiler (proof/kills/disk.c).
 */
import { findPostgresBinaries, startPostgres } from '@dowel/installation-store/testing';
import { canPreload, preloadDisk } from '../proof/kills/preload-disk.ts';
import { startWorld } from './herd-world.ts';
import { table } from './markdown-table.ts';
import { reportSection } from './report-section.ts';

interface Case {
  database: 'SQLite' | 'PostgreSQL';
  /** What each sync of the disk takes longer. */
  delayMs: number;
  processes: number;
  tenants: number;
  callsEach: number;
}

const tenants = Number(process.env.BENCH_TENANTS ?? '1000');
const callsEach = 3;
const many = { tenants, callsEach };
const one = { tenants: 1, callsEach: tenants * callsEach };

const sqlite: Case[] = [
  { database: 'SQLite', delayMs: 0, processes: 1, ...one },
  { database: 'SQLite', delayMs: 0, processes: 4, ...one },
  { database: 'SQLite', delayMs: 0, processes: 1, ...many },
  { database: 'SQLite', delayMs: 10, processes: 1, ...many },
  { database: 'SQLite', delayMs: 10, processes: 4, ...many },
];
const postgres: Case[] = [
  { database: 'PostgreSQL', delayMs: 0, processes: 4, ...one },
  { database: 'PostgreSQL', delayMs: 0, processes: 1, ...many },
  { database: 'PostgreSQL', delayMs: 0, processes: 4, ...many },
];

const ms = (value: number) => value.toFixed(value < 10 ? 1 : 0);
const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);

async function measure(each: Case): Promise<string[]> {
  const env = each.delayMs > 0 ? preloadDisk({ delayMs: each.delayMs }) : {};
  const world = await startWorld({ ...each, env });
  const [living] = await world.install(1, { isExpired: false });
  const expired = await world.install(each.tenants, { isExpired: true });
  const ids = expired.map(({ id }) => id);
  const herds = await Promise.all(
    world.children.map((child) => child.ask('herd', ids, each.callsEach, living?.id ?? '')),
  );
  const counts = await world.count(expired);
  await world.close();
  const worst = (pick: (herd: (typeof herds)[number]) => number) => Math.max(...herds.map(pick));
  console.error(each, ...herds.map(({ failures }) => failures));
  return [
    each.database,
    each.delayMs === 0 ? 'as the disk' : `+ ${each.delayMs} ms`,
    String(each.processes),
    String(each.tenants),
    `${sum(herds.map(({ succeeded }) => succeeded))} of ${each.tenants * each.callsEach * each.processes}`,
    String(sum(counts.map(({ refreshes }) => refreshes))),
    String(counts.filter(({ refreshes }) => refreshes > 1).length),
    String(sum(counts.map(({ triggers }) => triggers))),
    (worst(({ wallMs }) => wallMs) / 1_000).toFixed(1),
    ms(worst(({ lagP99Ms }) => lagP99Ms)),
    `${ms(worst(({ probe }) => probe.p50Ms))} / ${ms(worst(({ probe }) => probe.maxMs))}, ${sum(herds.map(({ probe }) => probe.failed))} failed`,
  ];
}

const binaries = findPostgresBinaries();
const cluster = binaries ? await startPostgres(binaries, { durable: true }) : undefined;
if (cluster) process.env.DOWEL_TEST_POSTGRES_URL = cluster.url;
const rows: string[][] = [];
for (const each of [...sqlite, ...(cluster ? postgres : [])]) {
  if (each.delayMs === 0 || canPreload) rows.push(await measure(each));
}
await cluster?.stop();

const head = [
  'database',
  'each sync takes',
  'processes',
  'tenants',
  'calls that succeed',
  'refreshes',
  'presented twice',
  'triggers',
  'wall, s',
  'loop lag p99, ms',
  'living token p50 / max, ms',
];
await reportSection('herd', table(head, rows));

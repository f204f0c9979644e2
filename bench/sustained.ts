/**
 * The refreshes of a million tokens that live for an hour, for a minute, in one, two and four processes on PostgreSQL; and
 * commits a second with and without notifications. `pnpm --filter @dowel/bench sustained`; `--write` renews
 * docs/benchmarks.md. BENCH_TOKENS and BENCH_SECONDS take other numbers. Needs Linux, for the CPU time of processes.
 *
 * A slow flush is `commit_delay`: each flush waits for 5 ms first, and takes along the commits that come meanwhile.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { findPostgresBinaries, startPostgres } from '@dowel/installation-store/testing';
import { type Installed, startWorld } from './herd-world.ts';
import { table } from './markdown-table.ts';
import { readCpu } from './process-cpu.ts';
import { reportSection } from './report-section.ts';
import { median, rotate } from './rounds.ts';

/** Of the tokens: so the same installations are due again in the next case. */
const lifetimeSeconds = 10;

type World = Awaited<ReturnType<typeof startWorld>>;

interface Case {
  processes: number;
  /** What each flush takes longer. */
  flushMs: number;
  /** Refreshes that are due. */
  perSecond: number;
  seconds: number;
}

const seconds = Number(process.env.BENCH_SECONDS ?? '60');
const perSecond = Math.ceil(Number(process.env.BENCH_TOKENS ?? '1000000') / 3_600);
const cases: Case[] = [0, 5].flatMap((flushMs) =>
  [1, 2, 4].map((processes) => ({ processes, flushMs, perSecond, seconds })),
);

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
const perRefresh = (value: number, refreshes: number) => (value / refreshes).toFixed(2);

async function read(world: World, statement: string): Promise<number> {
  return Number(Object.values((await world.execute(`select ${statement}`))[0] ?? {})[0]);
}

async function delayFlush(world: World, flushMs: number): Promise<void> {
  await world.execute(`alter system set commit_delay = ${flushMs * 1_000}`);
  await world.execute('alter system set commit_siblings = 0');
  await world.execute('select pg_reload_conf()');
}

/** What the processes, PostgreSQL and the platform have used so far. */
async function readUsage(world: World) {
  const server = await read(world, "split_part(pg_read_file('postmaster.pid'), e'\\n', 1)");
  const backends = await world.execute('select pid from pg_stat_activity where pid is not null');
  const pids = backends.map(({ pid }) => Number(pid));
  return {
    processes: sum(await Promise.all(world.children.map(({ pid }) => readCpu(pid)))),
    postgres: sum(
      await Promise.all([readCpu(server, { ended: true }), ...pids.map((pid) => readCpu(pid))]),
    ),
    platform: await readCpu(world.platform.pid),
    wal: await read(world, "pg_current_wal_lsn() - '0/0'"),
    fullPages: await read(world, 'wal_fpi from pg_stat_wal'),
  };
}

/** The most connections of the store that are seen while `work` runs. */
async function watchConnections<Result>(world: World, work: Promise<Result>) {
  let most = 0;
  const watching = setInterval(() => {
    const count = "count(*) from pg_stat_activity where application_name like 'dowel%'";
    void read(world, count).then((seen) => {
      most = Math.max(most, seen);
    });
  }, 1_000);
  const result = await work;
  clearInterval(watching);
  return { result, most };
}

async function sustain(world: World, installed: Installed[], each: Case): Promise<string[]> {
  const { processes, flushMs, perSecond } = each;
  const expired = installed.slice(0, Math.round(perSecond * each.seconds));
  await world.start(processes);
  await sleep(lifetimeSeconds * 1_000);
  const earlier = await world.count(expired);
  await delayFlush(world, flushMs);
  // Each page is written whole at its first change after it, as in a large database.
  await world.execute('checkpoint');
  const before = await readUsage(world);
  const { result: parts, most } = await watchConnections(
    world,
    Promise.all(
      world.children.map((child, index) => {
        const own = expired.filter((_, at) => at % processes === index);
        return child.ask(
          'sustain',
          own.map(({ id }) => id),
          perSecond / processes,
        );
      }),
    ),
  );
  const after = await readUsage(world);
  const counts = (await world.count(expired)).map(
    ({ refreshes }, index) => refreshes - (earlier[index]?.refreshes ?? 0),
  );
  console.error(each, ...parts.map(({ failures }) => failures));
  const refreshes = sum(counts);
  const reached = refreshes / (Math.max(...parts.map(({ wallMs }) => wallMs)) / 1_000);
  const latencies = parts.flatMap((part) => part.latencies).sort((a, b) => a - b);
  const at = (share: number) => (latencies[Math.floor(latencies.length * share)] ?? 0).toFixed(0);
  const used = (name: keyof typeof before) => after[name] - before[name];
  const ms = (name: keyof typeof before) => perRefresh(used(name) * 1_000, refreshes);
  return [
    flushMs === 0 ? 'as the disk' : `+ ${flushMs} ms`,
    String(processes),
    String(perSecond),
    `${reached.toFixed(0)}, ${(reached / perSecond).toFixed(2)}`,
    String(expired.length - sum(parts.map(({ succeeded }) => succeeded))),
    String(counts.filter((count) => count > 1).length),
    `${at(0.5)} / ${at(0.95)}`,
    `${ms('processes')} / ${ms('postgres')} / ${ms('platform')}`,
    `${Math.round(used('wal') / refreshes)}, ${perRefresh(used('fullPages'), refreshes)}`,
    String(most),
  ];
}

const clients = 30;
const commitMs = 4_000;
const rounds = 5;

/** How the database changes what a notification does. Its functions stand before those of the server. */
const ways = {
  'after the commit, as the store does it': '',
  none: "create function pg_notify(text, text) returns void language sql as 'select'",
  'in the transaction': `create function pg_notify(text, text) returns void language sql as 'select';
    create function notify_at_once() returns trigger language plpgsql as $$ begin
      perform pg_catalog.pg_notify('dowel_changes',
        new.id || ' ' || new.origin || ' ' || new.of_tokens || ' ' || new.installation_id);
      return new; end $$;
    create trigger at_once after insert on changes for each row execute function notify_at_once()`,
};
const usual =
  'drop trigger if exists at_once on changes; drop function if exists notify_at_once; drop function if exists public.pg_notify(text, text)';

async function measureCommits(world: World): Promise<string[][]> {
  await world.start(3);
  const ids = (await world.install(clients, { isExpired: false })).map(({ id }) => id);
  await delayFlush(world, 5);
  const measured = new Map(Object.keys(ways).map((way) => [way, [] as number[]]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [way, statements] of rotate(Object.entries(ways), round)) {
      if (statements) await world.execute(statements);
      const commits = await Promise.all(
        world.children.map((child, index) =>
          child.ask(
            'commit',
            ids.filter((_, at) => at % world.children.length === index),
            commitMs,
          ),
        ),
      );
      await world.execute(usual);
      measured.get(way)?.push(sum(commits) / (commitMs / 1_000));
    }
  }
  await delayFlush(world, 0);
  const without = measured.get('none') ?? [];
  return [...measured].map(([way, values]) => {
    const ratios = values.map((value, round) => value / (without[round] ?? 0));
    return [way, median(values).toFixed(0), median(ratios).toFixed(2)];
  });
}

const binaries = findPostgresBinaries();
if (!binaries) throw new Error('PostgreSQL was not found');
const cluster = await startPostgres(binaries, { durable: true });
process.env.DOWEL_TEST_POSTGRES_URL = cluster.url;
const world = await startWorld({ database: 'PostgreSQL', processes: 1, env: {} });
const commits = await measureCommits(world);
await world.start(1);
const most = Math.max(...cases.map((each) => each.perSecond * each.seconds));
const installed = await world.install(most, { isExpired: true, lifetimeSeconds });
// Neighbours share a page, and are not due together.
installed.sort((a, b) => a.tokens.accessToken.localeCompare(b.tokens.accessToken));
const rows: string[][] = [];
for (const each of cases) rows.push(await sustain(world, installed, each));
await world.close();
await cluster.stop();

const head = [
  'each flush takes',
  'processes',
  'due/s',
  'refreshes/s, ratio',
  'failed',
  'presented twice',
  'p50 / p95 ms',
  'CPU ms a refresh: processes / PostgreSQL / platform',
  'WAL bytes a refresh, whole pages',
  'connections',
];
const notifications = table(['notifications', 'commits/s', 'ratio to none'], commits);
await reportSection('sustained', `${table(head, rows)}\n\n${notifications}`);

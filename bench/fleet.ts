/**
 * The cost of many tenants at once, and whether one tenant delays another: tokens that expire together on
 * fast and slow disks, a disk that stalls, a locked or frozen database, tenants of one origin that hang, callers that wait,
 * a host without CPU time.
 * `pnpm --filter @dowel/bench fleet`; `--write` renews docs/benchmarks.md. BENCH_TENANTS takes other
 * sizes, such as 200. Needs a C compiler for the slow disks (disk.c of proof/disk).
 */
import { findPostgresBinaries, startPostgres } from '@dowel/installation-store/testing';
import { type Expiry, measureExpiry } from './fleet-expiry.ts';
import { type Heal, measureHeal } from './fleet-heal.ts';
import { measureNeighbours, type Neighbours } from './fleet-neighbours.ts';
import { measureParked, type Parked } from './fleet-parked.ts';
import { measureStalls, type Stall } from './fleet-stalls.ts';
import { measureStarved, type Starved } from './fleet-starved.ts';
import { table } from './markdown-table.ts';
import { reportSection } from './report-section.ts';

const sizes = (process.env.BENCH_TENANTS || '1000,5000').split(',').map(Number);

const ms = (value: number) => value.toFixed(value < 10 ? 1 : 0);

function describeExpiry(results: Expiry[]): string {
  return table(
    [
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
    ],
    results.map((each) => [
      each.database,
      each.delayMs === 0 ? 'as the disk' : `+ ${each.delayMs} ms`,
      String(each.processes),
      String(each.tenants),
      `${each.succeeded} of ${each.calls}`,
      String(each.refreshes),
      String(each.presentedTwice),
      String(each.triggers),
      (each.wallMs / 1_000).toFixed(1),
      ms(each.lagP99Ms),
      `${ms(each.probe.p50Ms)} / ${ms(each.probe.maxMs)}`,
    ]),
  );
}

function describeStalls(results: Stall[]): string {
  return table(
    ['meanwhile', 'calls with a living token', 'failed', 'p50, ms', 'max, ms'],
    results.map(({ meanwhile, probe }) => [
      meanwhile,
      String(probe.calls),
      String(probe.failed),
      ms(probe.p50Ms),
      ms(probe.maxMs),
    ]),
  );
}

function describeNeighbours(results: Neighbours[]): string {
  return table(
    ['tenants that hang, 40 calls each', 'calls of the neighbour that succeed', 'the slowest, ms'],
    results.map(({ hanging, succeeded, calls, maxMs }) => [
      String(hanging),
      `${succeeded} of ${calls}`,
      ms(maxMs),
    ]),
  );
}

function describeParked(results: Parked[]): string {
  return table(
    ['calls that wait for dead tenants', 'calls of living tokens that succeed', 'the slowest, ms'],
    results.map(({ waiting, succeeded, calls, maxMs }) => [
      waiting.toLocaleString('en'),
      `${succeeded} of ${calls}`,
      ms(maxMs),
    ]),
  );
}

function describeHeal(results: Heal[]): string {
  return table(
    [
      'database',
      'installations, a tenth of them waiting',
      'CPU of the main thread, p50, ms',
      'max, ms',
    ],
    results.map(({ database, installations, p50Ms, maxMs }) => [
      database,
      installations.toLocaleString('en'),
      p50Ms.toFixed(2),
      maxMs.toFixed(1),
    ]),
  );
}

function describeStarved(results: Starved[]): string {
  return table(
    [
      'the back end runs in each 100 ms for',
      'signed installs answered with 201',
      'p50, ms',
      'max, ms',
    ],
    results.map(({ runsMs, events, accepted, p50Ms, maxMs }) => [
      runsMs === 100 ? 'all of it' : `${runsMs} ms, and now and then not for 450 ms`,
      `${accepted} of ${events}`,
      ms(p50Ms),
      ms(maxMs),
    ]),
  );
}

const binaries = findPostgresBinaries();
const cluster = binaries ? await startPostgres(binaries, { durable: true }) : undefined;
const postgresUrl = cluster?.url;
if (postgresUrl) process.env.DOWEL_TEST_POSTGRES_URL = postgresUrl;

const sections = {
  'fleet-expiry': describeExpiry(await measureExpiry(sizes, postgresUrl)),
  'fleet-stalls': describeStalls(await measureStalls(postgresUrl)),
  'fleet-neighbours': describeNeighbours(await measureNeighbours()),
  'fleet-parked': describeParked(await measureParked()),
  'fleet-heal': describeHeal(await measureHeal(postgresUrl !== undefined)),
  'fleet-starved': describeStarved(await measureStarved()),
};
await cluster?.stop();

for (const [section, text] of Object.entries(sections)) await reportSection(section, text);

/**
 * The dashboard at 100,000 installations while the fleet changes 30 times a second and 20 dashboards are open, on
 * SQLite. `pnpm --filter @dowel/bench dashboard`; `--write` renews docs/benchmarks.md. BENCH_INSTALLATIONS takes
 * another size, BENCH_SECONDS another time for each measurement.
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fleetListSchema } from '@dowel/admin-api';
import { type BrowserContext, chromium } from '@playwright/test';
import { requireChromium } from '../scripts/find-chromium.ts';
import { startChild } from './child-process.ts';
import type { ServerCommands } from './dashboard-server.ts';
import { cookieAt, seedFolder, signIn } from './dashboard-world.ts';
import type { WriterCommands } from './dashboard-writer.ts';
import { table } from './markdown-table.ts';
import { reportSection } from './report-section.ts';

const { BENCH_INSTALLATIONS = '100000', BENCH_SECONDS = '20' } = process.env;
const installations = Number(BENCH_INSTALLATIONS);
const measureMs = Number(BENCH_SECONDS) * 1_000;
const changesPerSecond = 30;
const dashboards = 20;
const pauseMs = 100;
const childLimitMs = 600_000;

const folder = await mkdtemp(join(tmpdir(), 'dowel-bench-dashboard-'));
const server = startChild<ServerCommands>('./dashboard-server.ts', [], childLimitMs);
const writer = startChild<WriterCommands>('./dashboard-writer.ts', [], childLimitMs);
try {
  await seedFolder(folder, installations, Date.now());
  const { url, code } = await server.ask('open', folder);
  await writer.ask('open', folder);
  const cookie = await signIn(url, code);
  const rows = await measure(url, cookie);
  await reportSection('dashboard', table(['', 'measured', 'limit'], rows));
} finally {
  await Promise.all([server.end(), writer.end()]);
  await rm(folder, { recursive: true });
}

async function measure(url: string, cookie: string): Promise<string[][]> {
  const api = `${url}/admin/api`;
  // Half of the first are in view.
  const ids = await listIds(api, cookie, 'sort=host');
  const awaiting = await listIds(api, cookie, 'state=awaiting');
  const targets = { ids, awaiting };
  const still = await watchServer(() => sleep(measureMs));
  await writer.ask('change', targets, changesPerSecond);
  const alone = await watchServer(() => sleep(measureMs));
  const streams = await Promise.all(
    Array.from({ length: dashboards }, () => openStream(`${api}/changes`, cookie)),
  );
  let latencies: number[] = [];
  const watched = await watchServer(async () => {
    for (const stream of streams) stream.bytes = 0;
    latencies = await readPages(api, cookie);
  });
  const perStream = Math.max(...streams.map(({ bytes }) => bytes)) / watched.seconds;
  for (const { response } of streams) response.destroy();
  const busy = await watchBrowser(url, cookie);
  await writer.ask('change', targets, 0);
  const idle = await watchBrowser(url, cookie);
  const exportSeconds = await exportAll(api, cookie);
  return [
    ['server, nothing happens: CPU of a core', percent(still.share), ''],
    [`server, ${changesPerSecond} changes a second: CPU of a core`, percent(alone.share), ''],
    [`the same with ${dashboards} dashboards`, percent(watched.share), ''],
    ['the same: event loop delay, p99', `${watched.lagP99Ms.toFixed(0)} ms`, '50 ms'],
    ['the same: an answer (list, search, counts), p50', milliseconds(latencies, 0.5), ''],
    ['the same: an answer, p95', milliseconds(latencies, 0.95), '100 ms'],
    ['the same: each stream', `${(perStream / 1_000).toFixed(1)} kB/s`, '5 kB/s'],
    ['one browser, the list open: CPU of a core', percent(busy.share), '5 %'],
    ['the same while nothing changes', percent(idle.share), ''],
    ['typing a search: longest task', `${busy.longestTaskMs.toFixed(0)} ms`, '50 ms'],
    ['an export of all as CSV', `${exportSeconds.toFixed(1)} s`, '15 s'],
  ];
}

async function listIds(api: string, cookie: string, query: string): Promise<string[]> {
  const answer = await fetch(`${api}/fleet/installations?${query}&limit=40`, {
    headers: { cookie },
  });
  return fleetListSchema.parse(await answer.json()).installations.map(({ id }) => id);
}

interface Watched {
  seconds: number;
  /** The used share of one core. */
  share: number;
  lagP99Ms: number;
}

async function watchServer(work: () => Promise<void>): Promise<Watched> {
  const before = await server.ask('measure');
  const startedAt = performance.now();
  await work();
  const seconds = (performance.now() - startedAt) / 1_000;
  const { cpu, lagP99Ms } = await server.ask('measure');
  return { seconds, share: (cpu - before.cpu) / 1e6 / seconds, lagP99Ms };
}

interface Stream {
  response: IncomingMessage;
  bytes: number;
}

async function openStream(url: string, cookie: string): Promise<Stream> {
  const request = get(url, { headers: { cookie } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const stream = { response, bytes: 0 };
  response.on('data', (chunk: Buffer) => {
    stream.bytes += chunk.length;
  });
  response.on('error', () => {});
  return stream;
}

/** The requests of the pages of all dashboards, one after the other. */
async function readPages(api: string, cookie: string): Promise<number[]> {
  const paths = [
    '/fleet',
    '/fleet/installations?sort=host',
    '/fleet/installations?search=a1f',
    '/fleet/installations?search=0b7e',
    '/fleet/installations?group=broken',
  ];
  const latencies: number[] = [];
  const endsAt = performance.now() + measureMs;
  for (let count = 0; performance.now() < endsAt; count += 1) {
    const startedAt = performance.now();
    const answer = await fetch(`${api}${paths[count % paths.length]}`, { headers: { cookie } });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`${paths[count % paths.length]}: ${answer.status}`);
    latencies.push(performance.now() - startedAt);
    await sleep(pauseMs);
  }
  return latencies;
}

async function exportAll(api: string, cookie: string): Promise<number> {
  const startedAt = performance.now();
  const answer = await fetch(`${api}/fleet/export?format=csv`, { headers: { cookie } });
  const lines = (await answer.text()).split('\n').length;
  if (lines < installations) throw new Error(`The export has only ${lines} lines`);
  return (performance.now() - startedAt) / 1_000;
}

async function watchBrowser(url: string, cookie: string) {
  const browser = await chromium.launch({
    executablePath: await requireChromium(),
    args: ['--no-sandbox'],
  });
  try {
    const context = await browser.newContext({ viewport: { width: 1_400, height: 900 } });
    await context.addCookies([cookieAt(url, cookie)]);
    const page = await openList(context, url);
    const system = await browser.newBrowserCDPSession();
    const cpuTime = async () => {
      const { processInfo } = await system.send('SystemInfo.getProcessInfo');
      return processInfo.reduce((sum, each) => sum + each.cpuTime, 0);
    };
    const before = await cpuTime();
    await sleep(measureMs);
    const share = ((await cpuTime()) - before) / (measureMs / 1_000);
    const longestTaskMs = await typeSearch(page);
    return { share, longestTaskMs };
  } finally {
    await browser.close();
  }
}

async function openList(context: BrowserContext, url: string) {
  const page = await context.newPage();
  await page.goto(`${url}/admin/installations?sort=host`);
  await page.getByRole('table').waitFor();
  await sleep(2_000);
  return page;
}

async function typeSearch(page: Awaited<ReturnType<typeof openList>>): Promise<number> {
  await page.evaluate(() => {
    const tasks: number[] = [];
    Object.assign(globalThis, { tasks });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) tasks.push(duration);
    }).observe({ entryTypes: ['longtask'] });
  });
  await page.keyboard.press('/');
  await page.keyboard.type('a1f09c', { delay: 120 });
  await sleep(2_000);
  return page.evaluate(() => Math.max(0, ...(globalThis as unknown as { tasks: number[] }).tasks));
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function milliseconds(values: readonly number[], quantile: number): string {
  const sorted = values.toSorted((a, b) => a - b);
  return `${(sorted[Math.floor((sorted.length - 1) * quantile)] ?? Number.NaN).toFixed(0)} ms`;
}

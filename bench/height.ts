/**
 * What it costs to follow a page's height while the page changes a hundred times a second, in Chromium:
 * CPU time in the follower's own callbacks, layouts that they force included, and frames drawn.
 * `pnpm --filter @dowel/bench height`; `--write` renews docs/benchmarks.md.
 */
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from '@playwright/test';
import { rolldown } from 'rolldown';
import { requireChromium } from '../scripts/find-chromium.ts';
import { reportSection } from './report-section.ts';
import { median } from './rounds.ts';

interface Sample {
  follower: string;
  elements: number;
  /** CPU time in each second. */
  cpuMs: number;
  /** The longest callback. */
  longestMs: number;
  framesPerSecond: number;
}

interface TraceEvent {
  name: string;
  /** CPU time of the thread, in microseconds. */
  tdur?: number;
  args?: { data?: { url?: string } };
}

const rounds = Number(process.env.BENCH_ROUNDS || 5);
const warmUpMs = 2_000;
const windowMs = 4_000;
const sizes = [2_000, 20_000];
const promisedMs = 15;
/** Names in the table, by script. */
const followers: Record<string, string> = {
  nobody: 'nobody',
  'walk-each-change': 'before: every descendant after each change',
  dowel: 'Dowel',
  predecessor: '@coyoapp/plugin-adapter 0.3.1 (sees no overflow, loses the last height)',
};

async function bundle(name: string): Promise<string> {
  const build = await rolldown({
    input: fileURLToPath(new URL(`height/${name}.ts`, import.meta.url)),
    platform: 'browser',
  });
  const { output } = await build.generate({ format: 'iife', minify: true });
  await build.close();
  return `${output[0].code}\n//# sourceURL=${name}.js`;
}

async function openPage(browser: Browser, follower: string, elements: number): Promise<Page> {
  const page = await browser.newPage();
  await page.setContent('<!doctype html><body></body>');
  await page.addScriptTag({ content: await bundle('page') });
  await page.evaluate((count) => window.startHeightPage(count), elements);
  if (follower !== 'nobody') await page.addScriptTag({ content: await bundle(follower) });
  return page;
}

async function measure(browser: Browser, follower: string, elements: number): Promise<Sample> {
  const page = await openPage(browser, follower, elements);
  const read = () => page.evaluate(() => [window.heightFrames, performance.now()] as const);
  await page.waitForTimeout(warmUpMs);
  await browser.startTracing(page, { categories: ['devtools.timeline'] });
  const [frames, startedAt] = await read();
  await page.waitForTimeout(windowMs);
  const [framesAfter, endedAt] = await read();
  const trace = JSON.parse(String(await browser.stopTracing()));
  await page.close();
  const seconds = (endedAt - startedAt) / 1000;
  const times = (trace.traceEvents as TraceEvent[])
    .filter(({ name, args }) => name === 'FunctionCall' && args?.data?.url === `${follower}.js`)
    .map(({ tdur = Number.NaN }) => tdur / 1000);
  return {
    follower,
    elements,
    cpuMs: times.reduce((sum, each) => sum + each, 0) / seconds,
    longestMs: Math.max(0, ...times),
    framesPerSecond: (framesAfter - frames) / seconds,
  };
}

async function measureAll(): Promise<Sample[]> {
  const browser = await chromium.launch({
    executablePath: await requireChromium(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  });
  const samples: Sample[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const elements of sizes) {
      for (const follower of Object.keys(followers)) {
        samples.push(await measure(browser, follower, elements));
      }
    }
  }
  await browser.close();
  return samples;
}

function describe(samples: Sample[]): string {
  const rows = sizes.flatMap((elements) =>
    Object.entries(followers).map(([follower, name]) => {
      const own = samples.filter(
        (each) => each.follower === follower && each.elements === elements,
      );
      const figure = (of: 'cpuMs' | 'longestMs' | 'framesPerSecond') =>
        median(own.map((each) => each[of])).toFixed(of === 'framesPerSecond' ? 0 : 1);
      const isPromised = follower === 'dowel' && elements === 2_000;
      const cpu = follower === 'dowel' ? `**${figure('cpuMs')}**` : figure('cpuMs');
      return [
        elements.toLocaleString('en'),
        name,
        isPromised ? `${cpu} (promise: ≤ ${promisedMs})` : cpu,
        figure('longestMs'),
        figure('framesPerSecond'),
      ];
    }),
  );
  const table = [
    ['elements', 'who follows', 'CPU ms in a second', 'longest callback, ms', 'frames in a second'],
    Array(5).fill('---'),
    ...rows,
  ];
  return table.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

await reportSection('heights', describe(await measureAll()));

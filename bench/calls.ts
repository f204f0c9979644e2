/**
 * A page's call that reaches the platform: @dowel/server beside a bare Koa with undici's `request` and
 * http-proxy-middleware, in alternating rounds of one run, and while the tokens of all tenants end; calls through
 * @dowel/server while one user sends without a pause.
 * `BENCH_ROUNDS=5 BENCH_CALLS=20000 pnpm --filter @dowel/bench calls`; `--write` renews docs/benchmarks.md.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manifestSchema } from '@dowel/schema';
import { Pool } from 'undici';
import type { CalledTenant, CallsCommands } from './calls-child.ts';
import { type Child, startChild } from './child-process.ts';
import { table } from './markdown-table.ts';
import type { PlatformCommands } from './platform-process.ts';
import { reportSection } from './report-section.ts';
import { median, rotate } from './rounds.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? '5');
/** So many that V8 has compiled all of it after the first round, which does not count: a server runs for days. */
const callsPerRound = Number(process.env.BENCH_CALLS ?? '20000');
const tenantCount = 50;
const floodCalls = 1_500;
const concurrency = 16;
const childLimitMs = 120_000;
const names = ['dowel', 'bare', 'middleware'] as const;
type Name = (typeof names)[number];

interface Way {
  child: Child<CallsCommands>;
  url: string;
  sessions: string[];
}

interface Result {
  callsPerSecond: number;
  p99Ms: number;
  /** CPU time of the process for one call. */
  cpuUs: number;
  failed: number;
}

const manifestUrl = new URL('../manifest.json', import.meta.url);
const manifest = manifestSchema.parse(JSON.parse(await readFile(manifestUrl, 'utf8')));
const folder = await mkdtemp(join(tmpdir(), 'dowel-bench-calls-'));
const platform = startChild<PlatformCommands>('./platform-process.ts', [], childLimitMs);

/** Each way has its own tenants. */
async function openWay(name: Name): Promise<Way & { runs: number[] }> {
  const tenants: (CalledTenant & { run: number })[] = [];
  for (let count = 0; count < tenantCount; count += 1) {
    tenants.push(await platform.ask('open'));
  }
  const { origin } = new URL(tenants[0]?.baseUrl ?? '');
  const child = startChild<CallsCommands>('./calls-child.ts', [name], childLimitMs);
  const opened = await child.ask('open', { folder, origin, tenants, manifest });
  return { child, ...opened, runs: tenants.map(({ run }) => run) };
}

async function measure({ child, url, sessions }: Way, during = async () => {}): Promise<Result> {
  const pool = new Pool(url, { connections: concurrency });
  const body = JSON.stringify({ text: 'x'.repeat(100) });
  const latencies: number[] = [];
  let failed = 0;
  let next = 0;
  async function callNext(): Promise<void> {
    const session = sessions[next % sessions.length];
    next += 1;
    const startedAt = performance.now();
    const { statusCode, body: answer } = await pool.request({
      path: '/api/call',
      method: 'POST',
      headers: { authorization: `Bearer ${session}`, 'content-type': 'application/json' },
      body,
    });
    await answer.dump();
    latencies.push(performance.now() - startedAt);
    if (statusCode !== 200) failed += 1;
  }
  const cpuBefore = await child.ask('cpu');
  const startedAt = performance.now();
  await Promise.all([
    during(),
    ...Array.from({ length: concurrency }, async () => {
      while (next < callsPerRound) await callNext();
    }),
  ]);
  const elapsedMs = performance.now() - startedAt;
  const cpuUs = ((await child.ask('cpu')) - cpuBefore) / latencies.length;
  await pool.close();
  latencies.sort((a, b) => a - b);
  const p99Ms = latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN;
  return { callsPerSecond: (latencies.length / elapsedMs) * 1000, p99Ms, cpuUs, failed };
}

/** One user sends without a pause; the other tenants' users send a call each. */
async function measureFlood({ url, sessions }: Way) {
  const pool = new Pool(url, { connections: concurrency });
  const send = async (session: string | undefined) => {
    const { statusCode, headers, body } = await pool.request({
      path: '/api/limited',
      method: 'POST',
      headers: { authorization: `Bearer ${session}`, 'content-type': 'application/json' },
      body: '{"text":"x"}',
    });
    await body.dump();
    return { statusCode, isTold: headers['retry-after'] !== undefined };
  };
  const [flooding, ...others] = sessions;
  const own = Array.from({ length: floodCalls }, () => send(flooding));
  const beside = await Promise.all(others.map(send));
  const answers = await Promise.all(own);
  await pool.close();
  return {
    accepted: answers.filter(({ statusCode }) => statusCode === 200).length,
    refused: answers.filter(({ statusCode, isTold }) => statusCode === 429 && isTold).length,
    others: `${beside.filter(({ statusCode }) => statusCode === 200).length} of ${others.length}`,
  };
}

const ways = {
  dowel: await openWay('dowel'),
  bare: await openWay('bare'),
  middleware: await openWay('middleware'),
};
const results: Record<Name, Result>[] = [];
for (let round = -1; round < rounds; round += 1) {
  const result = {} as Record<Name, Result>;
  for (const name of rotate(names, round)) {
    result[name] = await measure(ways[name]);
  }
  if (round >= 0) results.push(result);
}

/** All tokens end while calls are sent. */
async function measureEnding({ runs, ...way }: (typeof ways)[Name]) {
  const result = await measure(way, async () => {
    for (const run of runs) await platform.ask('expire', run);
  });
  let refreshes = 0;
  for (const run of runs) refreshes += (await platform.ask('count', run)).refreshes;
  return { ...result, refreshes };
}

const ended = {
  dowel: await measureEnding(ways.dowel),
  bare: await measureEnding(ways.bare),
  middleware: await measureEnding(ways.middleware),
};

const flood = await measureFlood(ways.dowel);

const labels: Record<Name, string> = {
  dowel: '`@dowel/server`: session, limits, scopes, input and output checked',
  bare: 'bare Koa and `request` of undici: a map of tokens, nothing checked',
  middleware: '`http-proxy-middleware`: the same map',
};
const rows = names.map((name) => {
  const of = (pick: (result: Result) => number) => results.map((result) => pick(result[name]));
  const ratio = (peer: Name, pick: (result: Result) => number) =>
    median(results.map((result) => pick(result[name]) / pick(result[peer]))).toFixed(2);
  const failed = of((result) => result.failed).reduce((sum, each) => sum + each, 0);
  return [
    labels[name],
    median(of((result) => result.callsPerSecond)).toFixed(0),
    ratio('bare', (result) => result.callsPerSecond),
    median(of((result) => result.p99Ms)).toFixed(1),
    ratio('bare', (result) => result.p99Ms),
    median(of((result) => result.cpuUs)).toFixed(0),
    String(failed),
  ];
});
const head = ['', 'calls/s', 'to `request`', 'p99 ms', 'to `request`', 'CPU µs a call', 'failed'];
const whileEnding = table(
  [
    `while the tokens of all ${tenantCount} tenants end: ${callsPerRound} calls`,
    'failed',
    'refreshes',
    'answered calls/s',
    'p99 ms',
  ],
  names.map((name) => {
    const { failed, refreshes, callsPerSecond, p99Ms } = ended[name];
    const answeredPerSecond = callsPerSecond * (1 - failed / callsPerRound);
    return [
      labels[name],
      `**${failed}**`,
      String(refreshes),
      answeredPerSecond.toFixed(0),
      p99Ms.toFixed(0),
    ];
  }),
);
const whileFlooding = table(
  ['one user sends', 'answered', '429 with Retry-After', 'a call of each other tenant, answered'],
  [[`${floodCalls} calls`, String(flood.accepted), String(flood.refused), flood.others]],
);
console.log(`${rounds} rounds of ${callsPerRound} calls, ${concurrency} at a time`);
await reportSection('calls', [table(head, rows), whileEnding, whileFlooding].join('\n\n'));

for (const { child } of Object.values(ways)) await child.end();
await platform.end();
await rm(folder, { recursive: true });

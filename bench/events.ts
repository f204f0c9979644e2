/**
 * Verified events per second: the BFF beside a bare Koa and raw `crypto.verify`, in alternating
 * rounds of one run, with the CPU time that each server spends on an event.
 * `BENCH_ROUNDS=9 BENCH_CONCURRENCY=64 pnpm --filter @dowel/bench events`; `--write` renews docs/benchmarks.md.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID, verify } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { table } from './markdown-table.ts';
import { reportSection } from './report-section.ts';
import { median, rotate } from './rounds.ts';
import { createPlatform } from './signed-events.ts';

const { BENCH_ROUNDS = '5', BENCH_CONCURRENCY = '16' } = process.env;
const rounds = Number(BENCH_ROUNDS);
const concurrency = Number(BENCH_CONCURRENCY);
const eventsPerRound = 1_500;

interface Server {
  child: ChildProcess;
  url: string;
}

/** One round of one server. */
interface Result {
  eventsPerSecond: number;
  /** CPU time of the process for one event, in microseconds. */
  cpuUs: number;
}

const keyHost = createServer((_request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(platform.keyDocument));
});
await new Promise<void>((resolve) => keyHost.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${(keyHost.address() as AddressInfo).port}`;
const platform = createPlatform(origin);
const folder = await mkdtemp(join(tmpdir(), 'dowel-bench-'));

const servers = {
  bff: await startServer('../apps/bff/src/main.ts', 4391, {
    DOWEL_PORT: '4391',
    DOWEL_DATA_DIR: folder,
    DOWEL_MANIFEST: fileURLToPath(new URL('../manifest.json', import.meta.url)),
    DOWEL_TRUST: `${origin}=${origin}/keys/`,
    DOWEL_LOG_LEVEL: 'warn',
  }),
  pooled: await startPeer('./pooled-koa.ts', 4393),
};
type Name = keyof typeof servers;
const names = Object.keys(servers) as Name[];

function startPeer(path: string, port: number): Promise<Server> {
  return startServer(path, port, {
    BENCH_PORT: String(port),
    BENCH_KEY: platform.publicKey.export({ type: 'spki', format: 'pem' }) as string,
    BENCH_FOLDER: folder,
  });
}

async function startServer(path: string, port: number, env: NodeJS.ProcessEnv): Promise<Server> {
  const child = fork(fileURLToPath(new URL(path, import.meta.url)), {
    env: { ...process.env, ...env },
    execArgv: [...process.execArgv, '--import', new URL('./report-cpu.ts', import.meta.url).href],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await new Promise((resolve) => child.once('message', resolve));
  return { child, url: `http://127.0.0.1:${port}` };
}

/** CPU time that the server has spent until now, in microseconds. */
async function readCpu({ child }: Server): Promise<number> {
  const answer = new Promise<{ usage: NodeJS.CpuUsage }>((resolve) =>
    child.once('message', resolve as (message: unknown) => void),
  );
  child.send('cpu');
  const { usage } = await answer;
  return usage.user + usage.system;
}

async function post(pool: Pool, name: string, token: string): Promise<void> {
  const { statusCode, body } = await pool.request({
    path: `/lifecycle/${name}`,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `token=${token}`,
  });
  await body.dump();
  if (statusCode !== 201) throw new Error(`${name} was answered with ${statusCode}`);
}

async function measure(server: Server, tokens: readonly string[]): Promise<Result> {
  const pool = new Pool(server.url, { connections: concurrency });
  const left = tokens.values();
  const cpuBefore = await readCpu(server);
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (const token of left) await post(pool, 'instance_add', token);
    }),
  );
  const elapsedMs = performance.now() - startedAt;
  const cpuUs = ((await readCpu(server)) - cpuBefore) / tokens.length;
  await pool.close();
  return { eventsPerSecond: (tokens.length / elapsedMs) * 1000, cpuUs };
}

function measureRawVerify(tokens: readonly string[]): Result {
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  for (const token of tokens) {
    const end = token.lastIndexOf('.');
    const signature = Buffer.from(token.slice(end + 1), 'base64url');
    verify('RSA-SHA512', Buffer.from(token.slice(0, end)), platform.publicKey, signature);
  }
  const elapsedMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpuBefore);
  const cpuUs = (user + system) / tokens.length;
  return { eventsPerSecond: (tokens.length / elapsedMs) * 1000, cpuUs };
}

/** Every server gets the same events, in a different order of the servers each round. */
async function measureRound(round: number): Promise<Record<Name | 'raw', Result>> {
  const tokens = Array.from({ length: eventsPerRound }, () =>
    platform.sign({ sub: 'instance_add', instanceId: randomUUID() }),
  );
  const results = { raw: measureRawVerify(tokens) } as Record<Name | 'raw', Result>;
  for (const name of rotate(names, round)) {
    results[name] = await measure(servers[name], tokens);
  }
  return results;
}

const installPool = new Pool(servers.bff.url);
await post(installPool, 'install', platform.sign({ sub: 'install' }));
await installPool.close();
const results: Record<Name | 'raw', Result>[] = [];
for (let round = -1; round < rounds; round += 1) {
  const result = await measureRound(round);
  if (round >= 0) results.push(result);
}

const labels = {
  bff: 'BFF: verified, idempotent, recorded',
  pooled: 'bare Koa: `crypto.verify` in the thread pool, a commit for the rows of a turn',
  raw: 'raw `crypto.verify`, one thread',
} satisfies Record<Name | 'raw', string>;
const describe = (name: Name | 'raw') => {
  const perSecond = median(results.map((result) => result[name].eventsPerSecond));
  const ratio = median(
    results.map((result) => result.bff.eventsPerSecond / result[name].eventsPerSecond),
  );
  const cpuUs = median(results.map((result) => result[name].cpuUs));
  return [labels[name], perSecond.toFixed(0), ratio.toFixed(2), cpuUs.toFixed(0)];
};
const head = ['', 'events/s', 'BFF as a ratio', 'CPU µs an event'];
await reportSection('events', table(head, (['bff', 'pooled', 'raw'] as const).map(describe)));

for (const { child } of Object.values(servers)) {
  child.disconnect();
  await new Promise((resolve) => child.once('exit', resolve));
}
keyHost.closeAllConnections();
keyHost.close();
await rm(folder, { recursive: true });

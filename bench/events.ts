/**
 * Verified events per second: the BFF beside bare Koa with one `crypto.verify` and one row, and
 * beside raw `crypto.verify`, in alternating rounds of one run. `pnpm --filter @dowel/bench events`
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
import { createPlatform } from './signed-events.ts';

const rounds = 5;
const eventsPerRound = 1_500;
const concurrency = 16;

const keyHost = createServer((_request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(platform.keyDocument));
});
await new Promise<void>((resolve) => keyHost.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${(keyHost.address() as AddressInfo).port}`;
const platform = createPlatform(origin);
const folder = await mkdtemp(join(tmpdir(), 'dowel-bench-'));

const bff = await startServer('../apps/bff/src/main.ts', 4391, {
  DOWEL_PORT: '4391',
  DOWEL_DATA_DIR: folder,
  DOWEL_MANIFEST: fileURLToPath(new URL('../manifest.json', import.meta.url)),
  DOWEL_TRUST: `${origin}=${origin}/keys/`,
  DOWEL_LOG_LEVEL: 'warn',
});
const bare = await startServer('./bare-koa.ts', 4392, {
  BENCH_PORT: '4392',
  BENCH_KEY: platform.publicKey.export({ type: 'spki', format: 'pem' }) as string,
  BENCH_FOLDER: folder,
});

async function startServer(path: string, port: number, env: NodeJS.ProcessEnv) {
  const script = fileURLToPath(new URL(path, import.meta.url));
  const child: ChildProcess = fork(script, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await new Promise((resolve) => child.once('message', resolve));
  return { child, url: `http://127.0.0.1:${port}` };
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

/** Events per second. */
async function measure(url: string): Promise<number> {
  const pool = new Pool(url, { connections: concurrency });
  const tokens = createTokens();
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (let token = tokens.pop(); token; token = tokens.pop()) {
        await post(pool, 'instance_add', token);
      }
    }),
  );
  const elapsedMs = performance.now() - startedAt;
  await pool.close();
  return (eventsPerRound / elapsedMs) * 1000;
}

function createTokens(): string[] {
  return Array.from({ length: eventsPerRound }, () =>
    platform.sign({ sub: 'instance_add', instanceId: randomUUID() }),
  );
}

function measureRawVerify(): number {
  const tokens = createTokens();
  const startedAt = performance.now();
  for (const token of tokens) {
    const end = token.lastIndexOf('.');
    const signature = Buffer.from(token.slice(end + 1), 'base64url');
    verify('RSA-SHA512', Buffer.from(token.slice(0, end)), platform.publicKey, signature);
  }
  return (eventsPerRound / (performance.now() - startedAt)) * 1000;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const installPool = new Pool(bff.url);
await post(installPool, 'install', platform.sign({ sub: 'install' }));
await installPool.close();
const results: { bff: number; bare: number; raw: number }[] = [];
for (let round = -1; round < rounds; round += 1) {
  const result = {
    bff: await measure(bff.url),
    bare: await measure(bare.url),
    raw: measureRawVerify(),
  };
  if (round >= 0) results.push(result);
}

const column = (key: 'bff' | 'bare' | 'raw') => median(results.map((result) => result[key]));
const ratio = (key: 'bare' | 'raw') => median(results.map((result) => result.bff / result[key]));
console.log(`RSA-4096, RS512; ${rounds} rounds of ${eventsPerRound} events, ${concurrency} at a time; medians

| | events/s | BFF as a ratio |
|---|---|---|
| BFF: verified, idempotent, recorded | ${column('bff').toFixed(0)} | 1 |
| bare Koa, one crypto.verify, one row | ${column('bare').toFixed(0)} | ${ratio('bare').toFixed(2)} |
| raw crypto.verify, one thread | ${column('raw').toFixed(0)} | ${ratio('raw').toFixed(2)} |`);

for (const { child } of [bff, bare]) {
  child.disconnect();
  await new Promise((resolve) => child.once('exit', resolve));
}
keyHost.closeAllConnections();
keyHost.close();
await rm(folder, { recursive: true });

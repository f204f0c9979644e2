/**
 * The delay of hooks and their effect on the answer, at idle: one event after the other, over HTTP, with
 * signatures, on SQLite. Measured by the platform, which sends an event, gets its 201 and is notified of the hook.
 * `BENCH_EVENTS=300 pnpm --filter @dowel/bench hook-latency`; `--write` renews docs/benchmarks.md.
 */
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPlatform } from '@dowel/emulator';
import { manifestSchema } from '@dowel/schema';
import { createServer, type Hooks } from '@dowel/server';
import { table } from './markdown-table.ts';
import { reportSection } from './report-section.ts';

const { BENCH_EVENTS = '300', BENCH_FOLDER = tmpdir() } = process.env;
const events = Number(BENCH_EVENTS);
/** Pause between two events, in which nothing is under way. */
const idleMs = 25;
/** Longer than the pause, so that it is under way when the next event comes. */
const slowMs = 60;

const folder = await mkdtemp(join(BENCH_FOLDER, 'dowel-bench-'));
const manifest = manifestSchema.parse(
  JSON.parse(await readFile(new URL('../manifest.json', import.meta.url), 'utf8')),
);

const http = createHttpServer().listen(0, '127.0.0.1');
await once(http, 'listening');
const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
/** The answer to the latest event. */
let answer = { tookMs: 0, at: 0 };
const platform = createPlatform({
  origin,
  async fetch(input, init) {
    const startedAt = performance.now();
    const response = await fetch(input, init);
    const at = performance.now();
    answer = { tookMs: at - startedAt, at };
    return response;
  },
});
http.on('request', platform.callback());
const tenantId = platform.tenants[0]?.tenantId ?? '';

/** The time of the first hook call for each instance. */
const calledAt = new Map<string, PromiseWithResolvers<number>>();

function heard(instanceId: string): PromiseWithResolvers<number> {
  const found = calledAt.get(instanceId) ?? Promise.withResolvers<number>();
  calledAt.set(instanceId, found);
  return found;
}

const hear: NonNullable<Hooks['instanceAdded']> = ({ data }) =>
  heard(data.instanceId).resolve(performance.now());

const variants = {
  'without hooks': {},
  'with a hook': { instanceAdded: hear },
  [`with a hook that takes ${slowMs} ms`]: {
    async instanceAdded(delivery) {
      await hear(delivery);
      await sleep(slowMs);
    },
  },
} satisfies Record<string, Hooks>;

async function open(name: string, hooks: Hooks) {
  const server = createServer({
    manifest,
    hooks,
    trust: `${origin}=${origin}/certificates/`,
    database: { path: join(folder, `${name}.sqlite`) },
    environment: { DOWEL_LOG_LEVEL: 'silent' },
    port: 0,
  });
  const { url } = await server.start();
  const manifestUrl = `${url}/manifest.json`;
  const { pluginId, entryPoints } = await platform.install({ tenantId, manifestUrl });
  const entryPointId = entryPoints[0]?.id ?? '';
  const hasHook = Object.keys(hooks).length > 0;
  return { name, server, place: { tenantId, pluginId, entryPointId }, hasHook };
}

type World = Awaited<ReturnType<typeof open>>;

/** One event at idle. The hook may begin before the platform has read the answer. */
async function measure({ place, hasHook }: World) {
  await sleep(idleMs);
  const { instanceId } = await platform.addInstance(place);
  const { tookMs, at } = answer;
  const hookMs = hasHook ? Math.max(0, (await heard(instanceId).promise) - at) : Number.NaN;
  return { tookMs, hookMs };
}

function quantile(values: readonly number[], share: number): string {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.floor(sorted.length * share)] ?? Number.NaN).toFixed(1);
}

const worlds = await Promise.all(
  Object.entries(variants).map(([name, hooks]) => open(name, hooks)),
);
const results = new Map(worlds.map((world) => [world, [] as { tookMs: number; hookMs: number }[]]));
// The first events compile the code.
for (let count = -20; count < events; count += 1) {
  for (const world of worlds) {
    const result = await measure(world);
    if (count >= 0) results.get(world)?.push(result);
  }
}

const rows = [...results].map(([{ name, hasHook }, all]) => {
  const took = all.map(({ tookMs }) => tookMs);
  const hook = all.map(({ hookMs }) => hookMs);
  const ofHook = hasHook ? [quantile(hook, 0.5), quantile(hook, 0.99)] : ['–', '–'];
  return [name, quantile(took, 0.5), quantile(took, 0.99), ...ofHook];
});
const head = ['', 'ms to the 201, p50', 'p99', 'ms from the 201 to the hook, p50', 'p99'];
await reportSection('hook-latency', table(head, rows));

await Promise.all(worlds.map(({ server }) => server.close()));
platform.close();
http.close();
http.closeAllConnections();
await rm(folder, { recursive: true });

/**
 * The cost of hooks for an event on SQLite: the same events without hooks, with the outbox written, and with each
 * delivery claimed and settled as well, in alternating rounds of one run.
 * `BENCH_ROUNDS=7 BENCH_CONCURRENCY=16 pnpm --filter @dowel/bench hooks`
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKeyring, openStore, type Store } from '@dowel/installation-store';
import { createLifecycle } from '@dowel/lifecycle';
import { type LifecycleEvent, lifecycleEventSchemas } from '@dowel/schema';
import { median, rotate } from './rounds.ts';

const { BENCH_ROUNDS = '7', BENCH_CONCURRENCY = '16', BENCH_FOLDER = tmpdir() } = process.env;
const rounds = Number(BENCH_ROUNDS);
const concurrency = Number(BENCH_CONCURRENCY);
const eventsPerRound = 2_000;
const issuer = 'https://acme.example.com';
const pluginId = randomUUID();
const tenants = Array.from({ length: 64 }, () => randomUUID());

const variants = ['without hooks', 'with the outbox', 'with the outbox and its delivery'] as const;
type Variant = (typeof variants)[number];

interface Result {
  /** CPU time of the process for one event, all threads together. */
  cpuUs: number;
  /** The time from the call of `accept` to its answer. */
  answerMs: number;
}

const folder = await mkdtemp(join(BENCH_FOLDER, 'dowel-bench-'));
const keyring = createKeyring(randomBytes(32));

async function open(variant: Variant) {
  const store = await openStore({ path: join(folder, `${variant}.sqlite`), keyring });
  const lifecycle = createLifecycle({
    store,
    tokenClient: { acceptEvent: () => Promise.reject(new Error('No tokens are exchanged')) },
    requestedScopes: [],
    usableAt: 'install',
    ...(variant !== 'without hooks' && {
      applied: async ({ hooks }, change) => void (await hooks.append(change)),
    }),
  });
  for (const tenantId of tenants) await lifecycle.accept(eventOf('install', { tenantId }));
  return { store, lifecycle };
}

function eventOf(sub: 'install' | 'instance_add', claims: object): LifecycleEvent {
  const iat = Math.floor(Date.now() / 1000);
  const common = { iss: issuer, sub, iat, exp: iat + 60, jti: randomUUID(), pluginId };
  return lifecycleEventSchemas[sub].parse({ ...common, ...claims });
}

/** Delivers like the server: sixteen at a time, one for each installation. */
async function deliver({ hooks }: Store): Promise<void> {
  while ((await hooks.findDueInMs([])) === 0) {
    const { claimed } = await hooks.claim({
      owner: 'bench',
      limit: 16,
      leaseMs: 45_000,
      except: [],
      handles: () => true,
    });
    await Promise.all(claimed.map((each) => hooks.settle(each, { state: 'delivered' })));
  }
}

const worlds = {
  'without hooks': await open('without hooks'),
  'with the outbox': await open('with the outbox'),
  'with the outbox and its delivery': await open('with the outbox and its delivery'),
} satisfies Record<Variant, unknown>;

async function measure(variant: Variant): Promise<Result> {
  const { store, lifecycle } = worlds[variant];
  const events = Array.from({ length: eventsPerRound }, (_, index) =>
    eventOf('instance_add', {
      tenantId: tenants[index % tenants.length],
      entryPointId: 'main',
      instanceId: randomUUID(),
    }),
  );
  const left = events.values();
  const times: number[] = [];
  const cpuBefore = process.cpuUsage();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (const event of left) {
        const startedAt = performance.now();
        await lifecycle.accept(event);
        times.push(performance.now() - startedAt);
      }
    }),
  );
  if (variant === 'with the outbox and its delivery') await deliver(store);
  const { user, system } = process.cpuUsage(cpuBefore);
  return { cpuUs: (user + system) / eventsPerRound, answerMs: median(times) };
}

const results = new Map<Variant, Result[]>(variants.map((variant) => [variant, []]));
for (let round = -1; round < rounds; round += 1) {
  for (const variant of rotate(variants, round)) {
    const result = await measure(variant);
    if (round >= 0) results.get(variant)?.push(result);
  }
}

const rows = variants.map((variant) => {
  const of = results.get(variant) ?? [];
  const cpuUs = median(of.map((each) => each.cpuUs));
  const answerMs = median(of.map((each) => each.answerMs));
  return `| ${variant} | ${cpuUs.toFixed(0)} | ${answerMs.toFixed(2)} |`;
});
console.log(`${rounds} rounds of ${eventsPerRound} events, ${concurrency} at a time; medians

| | CPU µs an event | ms to the answer, p50 |
|---|---|---|
${rows.join('\n')}`);

for (const { store } of Object.values(worlds)) await store.close();
await rm(folder, { recursive: true });

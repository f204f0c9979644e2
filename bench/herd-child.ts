/** One of several processes with a store and a token client, like the back end. Its parent controls it. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKeyring, openStore, type Store } from '@dowel/installation-store';
import { createTokenClient, type TokenClient } from '@dowel/token-client';
import { answerParent } from './child-process.ts';
import type { IssuedTokens } from './platform-run.ts';
import { seedGrant } from './seed-grant.ts';

export interface Tenant {
  /** The run of the platform. */
  run: number;
  baseUrl: string;
  tokens: IssuedTokens;
}

interface Setup {
  location: { path: string } | { url: string };
  /** In hexadecimal. */
  key: string;
  /** The platform's origin, on loopback. */
  origin: string;
}

/** Calls with a living token. */
interface Probe {
  failed: number;
  /** The median of successful calls; 0 when there are none. */
  p50Ms: number;
  maxMs: number;
}

interface Herd {
  succeeded: number;
  /** The other outcomes, by status or error code. */
  failures: Record<string, number>;
  wallMs: number;
  lagP99Ms: number;
  probe: Probe;
}

interface Sustained {
  succeeded: number;
  failures: Record<string, number>;
  /** From the time at which each call is due, in milliseconds. */
  latencies: number[];
  wallMs: number;
}

export interface HerdCommands {
  open(setup: Setup): void;
  /** Resolves with the ids of the installations. */
  install(tenants: Tenant[], isExpired: boolean): string[];
  /** Calls of each installation that begin together, while another one calls each 10 ms. */
  herd(ids: string[], callsEach: number, livingId: string): Herd;
  /** One call of each installation, so many a second, even if earlier ones have not ended. */
  sustain(ids: string[], perSecond: number): Sustained;
  /** Each installation has its instance changed again and again. Resolves with the number of commits. */
  commit(ids: string[], forMs: number): number;
  close(): void;
}

const probeEveryMs = 10;
/** Of the events that change instances: each is newer than the one before. */
let newestIat = 1;
let opened: { store: Store; client: TokenClient } | undefined;

function current() {
  if (!opened) throw new Error('The store is not open');
  return opened;
}

async function install({ baseUrl, tokens }: Tenant, isExpired: boolean): Promise<string> {
  const grant = { issuer: baseUrl, baseUrl, tokens, isExpired };
  const { id } = await current().store.transaction((stores) => seedGrant(stores, grant));
  return id;
}

async function call(id: string): Promise<string> {
  try {
    const response = await current().client.fetch(id, 'api');
    await response.body?.cancel();
    return String(response.status);
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

function startProbe(livingId: string) {
  const latencies: number[] = [];
  let failed = 0;
  const pending = new Set<Promise<void>>();
  async function once(): Promise<void> {
    const startedAt = performance.now();
    if ((await call(livingId)) === '200') latencies.push(performance.now() - startedAt);
    else failed += 1;
  }
  const timer = setInterval(() => {
    const running: Promise<void> = once().finally(() => pending.delete(running));
    pending.add(running);
  }, probeEveryMs);
  return async (): Promise<Probe> => {
    clearInterval(timer);
    await Promise.all(pending);
    latencies.sort((a, b) => a - b);
    const p50Ms = latencies[Math.floor(latencies.length / 2)] ?? 0;
    return { failed, p50Ms, maxMs: latencies.at(-1) ?? 0 };
  };
}

function countFailures(outcomes: string[]): Record<string, number> {
  const failures: Record<string, number> = {};
  for (const outcome of outcomes.filter((each) => each !== '200')) {
    failures[outcome] = (failures[outcome] ?? 0) + 1;
  }
  return failures;
}

async function commitUntil(id: string, endAt: number): Promise<number> {
  let commits = 0;
  for (; performance.now() < endAt; commits += 1) {
    newestIat += 1;
    const iat = newestIat;
    const isNewer = await current().store.transaction(({ installations }) =>
      installations.addInstance(id, 'instance', iat),
    );
    if (!isNewer) throw new Error('The instance was not changed');
  }
  return commits;
}

answerParent<HerdCommands>({
  async open({ location, key, origin }) {
    const store = await openStore({ ...location, keyring: createKeyring(Buffer.from(key, 'hex')) });
    opened = { store, client: createTokenClient({ store, internalOrigins: [origin] }) };
  },

  install: (tenants, isExpired) => Promise.all(tenants.map((tenant) => install(tenant, isExpired))),

  async herd(ids, callsEach, livingId) {
    await call(livingId);
    const stopProbe = startProbe(livingId);
    const lag = monitorEventLoopDelay({ resolution: 5 });
    lag.enable();
    const startedAt = performance.now();
    const outcomes = await Promise.all(
      ids.flatMap((id) => Array.from({ length: callsEach }, () => call(id))),
    );
    const wallMs = performance.now() - startedAt;
    lag.disable();
    const failures = countFailures(outcomes);
    const succeeded = outcomes.filter((outcome) => outcome === '200').length;
    const lagP99Ms = lag.percentile(99) / 1e6;
    return { succeeded, failures, wallMs, lagP99Ms, probe: await stopProbe() };
  },

  async sustain(ids, perSecond) {
    const latencies: number[] = [];
    const startedAt = performance.now();
    const outcomes = await Promise.all(
      ids.map(async (id, index) => {
        const dueAt = startedAt + (index * 1_000) / perSecond;
        await sleep(dueAt - performance.now());
        const outcome = await call(id);
        latencies.push(performance.now() - dueAt);
        return outcome;
      }),
    );
    const succeeded = outcomes.filter((outcome) => outcome === '200').length;
    const failures = countFailures(outcomes);
    return { succeeded, failures, latencies, wallMs: performance.now() - startedAt };
  },

  async commit(ids, forMs) {
    const endAt = performance.now() + forMs;
    const commits = await Promise.all(ids.map((id) => commitUntil(id, endAt)));
    return commits.reduce((total, each) => total + each, 0);
  },

  async close() {
    const { store, client } = current();
    await client.drain();
    await store.close();
  },
});

/** A process of the fleet with a store and a token client, like the back end. Its parent controls it. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKeyring, openStore, type Store } from '@dowel/installation-store';
import { createTokenClient, type TokenClient } from '@dowel/token-client';
import { seedGrant } from './seed-grant.ts';
import { answerParent } from './tokens-ipc.ts';
import type { IssuedTokens } from './tokens-run.ts';

export interface Tenant {
  /** The run of the platform. */
  run: number;
  baseUrl: string;
  tokens: IssuedTokens;
  /** The installation's id. */
  id?: string;
}

export interface Setup {
  location: { path: string } | { url: string };
  /** In hexadecimal. */
  key: string;
  /** The platform's origin, on loopback. */
  origin: string;
  /** With long time limits instead of the product's own. */
  isPatient: boolean;
}

export interface Probe {
  calls: number;
  failed: number;
  /** The median of successful calls; 0 when there are none. */
  p50Ms: number;
  maxMs: number;
}

export interface Herd {
  succeeded: number;
  failures: Record<string, number>;
  wallMs: number;
  lagP99Ms: number;
  probe: Probe;
}

export interface Burst {
  succeeded: number;
  maxMs: number;
}

export interface FleetCommands {
  open(setup: Setup): void;
  /** Resolves with the ids of the installations. */
  install(tenants: Tenant[], isExpired: boolean): string[];
  /** Calls of each installation that begin together, while another one calls each 10 ms. */
  herd(ids: string[], callsEach: number, livingId: string): Herd;
  /** Calls with a living token, one each 10 ms. */
  probe(livingId: string, forMs: number): Probe;
  /** Writes continuously until `close`. */
  keepWriting(ids: string[]): void;
  /** Starts calls of some installations without waiting for them. */
  begin(ids: string[], callsEach: number): void;
  /** How many of the calls that were begun have not ended. */
  countWaiting(): number;
  burst(id: string, calls: number): Burst;
  close(): void;
}

const probeEveryMs = 10;
/** For herds that take more CPU time than the product's own limits allow. */
const patience = {
  callTimeoutMs: 120_000,
  waitMs: 110_000,
  attemptTimeoutMs: 30_000,
  repeatTimeoutMs: 30_000,
  leaseMs: 55_000,
};
const neighbourTimeoutMs = 10_000;

let opened: { store: Store; client: TokenClient } | undefined;
let isClosing = false;
const background: Promise<unknown>[] = [];
let waiting = 0;

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

async function waitFor(id: string): Promise<void> {
  waiting += 1;
  await call(id);
  waiting -= 1;
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
    return {
      calls: latencies.length + failed,
      failed,
      p50Ms: latencies[Math.floor(latencies.length / 2)] ?? 0,
      maxMs: latencies.at(-1) ?? 0,
    };
  };
}

answerParent<FleetCommands>({
  async open({ location, key, origin, isPatient }) {
    const store = await openStore({ ...location, keyring: createKeyring(Buffer.from(key, 'hex')) });
    const policy = isPatient ? patience : {};
    const client = createTokenClient({ store, policy, internalOrigins: [origin] });
    opened = { store, client };
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
    const failures: Record<string, number> = {};
    for (const outcome of outcomes.filter((each) => each !== '200')) {
      failures[outcome] = (failures[outcome] ?? 0) + 1;
    }
    const succeeded = outcomes.filter((outcome) => outcome === '200').length;
    return {
      succeeded,
      failures,
      wallMs,
      lagP99Ms: lag.percentile(99) / 1e6,
      probe: await stopProbe(),
    };
  },

  async probe(livingId, forMs) {
    const stopProbe = startProbe(livingId);
    await sleep(forMs);
    return stopProbe();
  },

  keepWriting(ids) {
    const { store } = current();
    const write = async (id: string) => {
      for (let count = 0; !isClosing; count += 1) {
        await store.installations.addInstance(id, `instance-${count % 100}`, Date.now());
      }
    };
    for (const id of ids) background.push(write(id));
  },

  begin(ids, callsEach) {
    for (const id of ids) {
      for (let count = 0; count < callsEach; count += 1) background.push(waitFor(id));
    }
  },

  async countWaiting() {
    return waiting;
  },

  async burst(id, calls) {
    const { client } = current();
    const once = async () => {
      const startedAt = performance.now();
      const signal = AbortSignal.timeout(neighbourTimeoutMs);
      const response = await client.fetch(id, 'api', { signal });
      await response.body?.cancel();
      return performance.now() - startedAt;
    };
    const results = await Promise.allSettled(Array.from({ length: calls }, once));
    const times = results.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    return { succeeded: times.length, maxMs: Math.max(0, ...times) };
  },

  async close() {
    isClosing = true;
    const { store, client } = current();
    await client.drain();
    await store.close();
  },
});

/** A process that works on one store and reports how long each operation took. */
import { createKeyring, type GrantVersion, openStore } from '@dowel/installation-store';
import { seededId, seededKey } from '@dowel/installation-store/testing';
import { Secret } from '@dowel/schema';

export type Latencies = Record<Operation, { p50: number; p99: number }>;
export type Operation = (typeof operations)[number]['name'];

const { BENCH_LOCATION = '', BENCH_KEY = '', BENCH_SIZE = '' } = process.env;
const size = Number(BENCH_SIZE);
const page = { limit: 50, sort: 'began', now: Date.now() } as const;
const store = await openStore({
  ...(JSON.parse(BENCH_LOCATION) as { path: string }),
  keyring: createKeyring(Buffer.from(BENCH_KEY, 'hex')),
});

const operations = [
  {
    name: 'lookup by key',
    samples: 400,
    run: (index: number) => store.installations.find(seededKey(index)),
  },
  {
    name: 'grant load, decrypted',
    samples: 400,
    run: (index: number) => store.grants.load(seededId(index)),
  },
  {
    name: 'first page of 50',
    samples: 60,
    run: () => store.reports.listFleet(page),
  },
  {
    name: 'page of 50 in the middle',
    samples: 60,
    run: () => store.reports.listFleet({ ...page, after: middle }),
  },
  { name: 'lease and commit of a refresh', samples: 100, run: refresh },
  { name: 'record an event', samples: 200, run: recordEvent },
] as const;

const middle = await findMiddle();

/** Reads page by page, because the cursor is opaque. */
async function findMiddle(): Promise<string> {
  let cursor: string | undefined;
  for (let seen = 0; seen < size / 2; seen += 200) {
    cursor = (await store.reports.listFleet({ ...page, limit: 200, after: cursor })).next ?? cursor;
  }
  return cursor ?? '';
}

const tokens = {
  accessToken: new Secret('b'.repeat(900)),
  refreshToken: new Secret('c'.repeat(36)),
  grantedScopes: ['plugin:notify'],
};
const request = {
  owner: 'bench',
  leaseMs: 15_000,
  maxPresentations: 2,
  burst: 1_000,
  intervalMs: 1,
};

async function refresh(index: number): Promise<void> {
  const version = await store.grants.findVersion(seededId(index));
  const outcome = version && (await store.renewals.acquire(version, request));
  if (outcome?.outcome !== 'acquired') throw new Error(`No lease: ${outcome?.outcome}`);
  const issuedAt = Date.now();
  const refreshed: GrantVersion = outcome.lease;
  const isStored = await store.transaction(({ grants }) =>
    grants.commitRefresh(refreshed, { ...tokens, issuedAt, expiresAt: issuedAt + 3_600_000 }),
  );
  if (!isStored) throw new Error('The refresh was not stored');
}

function recordEvent(index: number): Promise<void> {
  return store.transaction(({ events }) =>
    events.recordEvent({
      installationId: seededId(index),
      event: 'access_token',
      receivedAt: Date.now(),
      durationMs: 1,
      status: 201,
      reason: null,
    }),
  );
}

/** Returns milliseconds, for randomly chosen installations. */
async function measure({ samples, run }: (typeof operations)[number]) {
  const latencies: number[] = [];
  for (let sample = 0; sample < samples; sample += 1) {
    const index = Math.floor(Math.random() * size);
    const startedAt = performance.now();
    await run(index);
    latencies.push(performance.now() - startedAt);
  }
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(samples * share)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

process.on('message', async (message) => {
  if (message === 'memory') return process.send?.(process.memoryUsage().rss);
  const latencies: Partial<Latencies> = {};
  for (const operation of operations) latencies[operation.name] = await measure(operation);
  return process.send?.(latencies);
});
process.on('disconnect', () => void store.close().then(() => process.exit(0)));
process.send?.('ready');

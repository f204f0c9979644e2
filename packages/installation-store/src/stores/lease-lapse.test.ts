import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { granted } from '../contract/check.ts';
import { openStore } from '../open-store.ts';
import { createKeyring } from '../sealing/keyring.ts';

const request = { leaseMs: 100, maxPresentations: 2, burst: 3, intervalMs: 5_000 };

test('a lease that lapses during a request for it leads to another try', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dowel-lapse-'));
  let now = 1_000_000;
  // Each reading of the clock takes a millisecond, so the lease ends between two readings.
  const path = join(folder, 'dowel.sqlite');
  const store = await openStore({
    path,
    keyring: createKeyring(randomBytes(32)),
    now: () => now++,
  });
  const outcomes = new Set<string>();

  for (let offset = 0; offset < 30; offset += 1) {
    const { grant } = await granted(store);
    await store.renewals.acquire(grant, { ...request, owner: 'dead' });
    now += offset;
    for (let last = ''; last !== 'acquired'; outcomes.add(last)) {
      last = (await store.renewals.acquire(grant, { ...request, owner: 'alive' })).outcome;
    }
    now += 60_000;
  }

  expect(outcomes).toEqual(new Set(['held', 'acquired']));
  await store.close();
  await rm(folder, { recursive: true });
});

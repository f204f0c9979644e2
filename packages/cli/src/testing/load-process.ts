/**
 * A process that reads and writes grants while keys change: `load-process.ts <location as JSON> <key file>`.
 * Ends on the message `stop`, and reports how much it did and everything that failed.
 */
import { setTimeout } from 'node:timers/promises';
import { openKeyring, openStore } from '@dowel/installation-store';
import { assertGrantOf, tokensOf } from '@dowel/installation-store/testing';

export interface LoadReport {
  reads: number;
  writes: number;
  failures: string[];
}

const [location = '', keyPath = ''] = process.argv.slice(2);
const store = await openStore({
  ...(JSON.parse(location) as { path: string } | { url: string }),
  keyring: openKeyring({ path: keyPath, production: true }),
});
const report: LoadReport = { reads: 0, writes: 0, failures: [] };
let installations: { id: string; tenantId: string }[] = [];
let isStopping = false;

async function callOnce({ id, tenantId }: { id: string; tenantId: string }): Promise<void> {
  const grant = await store.grants.load(id);
  if (!grant) throw new Error(`The grant of ${id} is gone`);
  assertGrantOf(tenantId, grant);
  await store.renewals.loadTrigger(id);
  report.reads += 1;
  if (Math.random() < 0.5) return;
  // False when the other process was first. Then its tokens are used.
  await store.transaction(({ grants }) => grants.commitRefresh(grant, tokensOf(tenantId)));
  report.writes += 1;
}

/** Leaves time for the commands on a machine with few cores. */
const restMs = 2;

async function run(): Promise<void> {
  while (!isStopping) {
    await setTimeout(restMs);
    const installation = installations[Math.floor(Math.random() * installations.length)];
    if (installation)
      await callOnce(installation).catch((error) => report.failures.push(`${error}`));
  }
  await store.close();
  process.send?.(report, () => process.exit());
}

process.once('disconnect', () => process.exit());
process.on('message', (message: typeof installations | 'stop') => {
  if (message === 'stop') isStopping = true;
  else {
    installations = message;
    void run();
  }
});

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { begin } from '../contract/check.ts';
import { createFarDatabase } from '../testing/far-database.ts';
import { postgres } from '../testing/index.ts';
import { listen } from './postgres-listener.ts';
import { readPostgresUrl } from './postgres-pool.ts';

const patienceMs = 20_000;

/** A database, the settings to reach it through a network that can be cut, and that network. */
async function openFar() {
  const { database, proxy, url } = await createFarDatabase(onTestFinished);
  return { database, proxy, settings: readPostgresUrl(url) };
}

test.skipIf(!postgres.isAvailable)(
  'a connection that went silent is replaced within 750 ms, and what it missed is read',
  async () => {
    const { database, proxy, settings } = await openFar();
    const near = await database.open();
    // Only the beats: the new connection needs real time.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const heard: string[] = [];
    const first = Promise.withResolvers<void>();
    const stop = await listen(settings, {
      onChange({ installationId }) {
        heard.push(installationId);
        first.resolve();
      },
      onGap() {},
      isHeard: () => true,
    });
    onTestFinished(stop);

    proxy.silence();
    const { id } = await begin(near);
    vi.advanceTimersByTime(749);
    await sleep(100);
    expect(heard).toEqual([]);
    vi.advanceTimersByTime(1);
    await Promise.race([first.promise, sleep(patienceMs)]);

    expect(heard).toEqual([id]);
  },
);

test.skipIf(!postgres.isAvailable)(
  'changes count as missed when the server has lost its newest transactions in a failover',
  async () => {
    const { proxy, settings } = await openFar();
    const oldest = 'pg_snapshot_xmin(pg_current_snapshot())';
    proxy.replace(oldest, "xid8 '999999999999'".padEnd(oldest.length));
    const gap = Promise.withResolvers<string>();
    const listener = { onChange() {}, onGap: () => gap.resolve('gap'), isHeard: () => true };
    onTestFinished(await listen(settings, listener));

    proxy.replace('', '');
    proxy.thaw();

    expect(await Promise.race([gap.promise, sleep(patienceMs)])).toBe('gap');
  },
);

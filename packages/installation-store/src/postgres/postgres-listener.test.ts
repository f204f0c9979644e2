import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { begin } from '../contract/check.ts';
import type { ChangeListener } from '../sql/database.ts';
import { createFarDatabase } from '../testing/far-database.ts';
import { postgres } from '../testing/index.ts';
import { listen } from './postgres-listener.ts';
import { type PostgresSettings, readPostgresUrl } from './postgres-url.ts';

const patienceMs = 20_000;

/** A database, the settings to reach it through a network that can be cut, and that network. */
async function openFar() {
  const { database, proxy, url } = await createFarDatabase(onTestFinished);
  return { database, proxy, settings: readPostgresUrl(url) };
}

/** A listener that does nothing but what is given. */
const listenerOf = (given: Partial<ChangeListener>): ChangeListener => ({
  onChange() {},
  onGap() {},
  onLost: async () => {},
  onPooled() {},
  isHeard: () => true,
  ...given,
});

async function listenFor(settings: PostgresSettings, given: Partial<ChangeListener>) {
  const onSilent = vi.fn();
  const listening = await listen(settings, { listener: listenerOf(given), onSilent });
  onTestFinished(listening.stop);
  return { ...listening, onSilent };
}

describe.skipIf(!postgres.isAvailable)('a listener', () => {
  test('replaces a connection that went silent within 750 ms, and reads what it missed', async () => {
    const { database, proxy, settings } = await openFar();
    const near = await database.open();
    // Only the beats: the new connection needs real time.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const heard: string[] = [];
    const first = Promise.withResolvers<void>();
    const { onSilent } = await listenFor(settings, {
      onChange({ installationId }) {
        heard.push(installationId);
        first.resolve();
      },
    });

    proxy.silence();
    const { id } = await begin(near);
    vi.advanceTimersByTime(749);
    await sleep(100);
    expect(heard).toEqual([]);
    expect(onSilent).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    await Promise.race([first.promise, sleep(patienceMs)]);

    expect(heard).toEqual([id]);
    expect(onSilent).toHaveBeenCalledOnce();
  });

  test('hears a change whose process died before it sent the notification', async () => {
    const { database, settings } = await openFar();
    const heard: string[] = [];
    await listenFor(settings, { onChange: ({ installationId }) => heard.push(installationId) });

    await database.execute(
      "insert into changes (installation_id, of_tokens, origin) values ('silent', 1, 'dead')",
    );

    await vi.waitFor(() => expect(heard).toEqual(['silent']), { timeout: patienceMs });
  });

  test('hears changes in the order of their commits, each once, also those of slow transactions', async () => {
    const { database, settings } = await openFar();
    const { url } = database.location as { url: string };
    const slow = new pg.Client({ connectionString: url });
    await slow.connect();
    onTestFinished(() => slow.end());
    const insert = (id: string) =>
      `insert into changes (installation_id, of_tokens, origin) values ('${id}', 1, 'x')`;
    const heard: string[] = [];
    await listenFor(settings, { onChange: ({ installationId }) => heard.push(installationId) });

    await slow.query(`begin; ${insert('slow')}`);
    await database.execute(insert('quick'));
    await vi.waitFor(() => expect(heard).toEqual(['quick']), { timeout: patienceMs });
    await slow.query('commit');
    await database.execute(insert('last'));

    await vi.waitFor(() => expect(heard.at(-1)).toBe('last'), { timeout: patienceMs });
    expect(heard).toEqual(['quick', 'slow', 'last']);
  });

  test('counts changes as missed when the server was restarted', async () => {
    const { proxy, settings } = await openFar();
    const started = 'pg_postmaster_start_time()';
    proxy.replace(started, 'now()'.padEnd(started.length));
    const gap = Promise.withResolvers<string>();
    await listenFor(settings, { onGap: () => gap.resolve('gap') });

    proxy.replace('', '');
    proxy.thaw();

    expect(await Promise.race([gap.promise, sleep(patienceMs)])).toBe('gap');
  });
});

/** A PostgreSQL server that stops answering under a running process, and answers again: fault D2. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgres, startTcpProxy } from '@dowel/installation-store/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { startProcess } from './testing/start-process.ts';

const eventually = { timeout: 120_000, interval: 100 };

async function startBehindProxy() {
  const database = await postgres.createEmpty();
  if (!('url' in database.location)) throw new Error('There is no PostgreSQL');
  const url = new URL(database.location.url);
  const proxy = await startTcpProxy(new URL(url));
  url.host = `127.0.0.1:${proxy.port}`;
  const folder = await mkdtemp(join(tmpdir(), 'dowel-unreachable-'));
  const started = await startProcess({
    dataDir: folder,
    settings: { DOWEL_DATABASE_URL: url.href, DOWEL_READY_WITHOUT_DATABASE_SECONDS: '0' },
  });
  onTestFinished(async () => {
    proxy.thaw();
    started.child.kill('SIGTERM');
    await started.closed;
    proxy.close();
    await database.destroy();
    await rm(folder, { recursive: true });
  });
  const ask = (path: string) => fetch(`http://127.0.0.1:${started.port}${path}`);
  expect(started).toMatchObject({ state: 'ready' });
  return { proxy, started, ask };
}

describe.skipIf(!postgres.isAvailable)('PostgreSQL', () => {
  test('D2: a server that stops answering makes the process unready, and ready again when it answers', async () => {
    const { proxy, started, ask } = await startBehindProxy();
    expect((await ask('/readyz')).status).toBe(200);

    proxy.freeze();
    await vi.waitFor(async () => expect((await ask('/readyz')).status).toBe(503), eventually);
    expect(await (await ask('/readyz')).json()).toEqual({
      isReady: false,
      state: 'unavailable',
      reason: 'database_unavailable',
    });
    expect((await ask('/livez')).status).toBe(200);

    proxy.thaw();
    await vi.waitFor(async () => expect((await ask('/readyz')).status).toBe(200), eventually);
    const lastLines = () => {
      const lines = started.output.out.split('\n').filter((line) => line.includes('"database.'));
      // On a busy machine a check may be late before the outage, too.
      return lines.slice(-2).map((line) => JSON.parse(line).msg);
    };
    // The log arrives after the answer.
    const told = ['database.unavailable', 'database.available'];
    await vi.waitFor(() => expect(lastLines()).toEqual(told), eventually);
  }, 150_000);
});

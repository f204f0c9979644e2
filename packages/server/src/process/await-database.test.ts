import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StoreError } from '@dowel/installation-store';
import { failAtExit, postgres } from '@dowel/installation-store/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { awaitDatabase } from './await-database.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const away = (message: string) => new StoreError('DATABASE_UNAVAILABLE', message);

test('D1: the start waits for an unavailable database and logs each cause once', async () => {
  const logger = { info: vi.fn(), warn: vi.fn() };
  const open = vi
    .fn<() => Promise<string>>()
    .mockRejectedValueOnce(away('refused'))
    .mockRejectedValueOnce(away('refused'))
    .mockRejectedValueOnce(away('starting up'))
    .mockResolvedValue('store');

  expect(await awaitDatabase(open, logger)).toBe('store');

  expect(logger.warn.mock.calls).toEqual([
    [{ reason: 'refused' }, 'database.awaited'],
    [{ reason: 'starting up' }, 'database.awaited'],
  ]);
  expect(logger.info).toHaveBeenCalledExactlyOnceWith('database.available');
});

test('a permanent database error ends the start', async () => {
  const open = vi.fn().mockRejectedValue(new StoreError('KEY_WRONG', 'wrong'));

  await expect(awaitDatabase(open, { info: vi.fn(), warn: vi.fn() })).rejects.toMatchObject({
    code: 'KEY_WRONG',
  });
  expect(open).toHaveBeenCalledOnce();
});

async function startBackEnd(databaseUrl: string) {
  const folder = await mkdtemp(join(tmpdir(), 'dowel-await-'));
  const child = spawn(process.execPath, [join(root, 'apps/bff/src/main.ts')], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      DOWEL_DATA_DIR: folder,
      DOWEL_DATABASE_URL: databaseUrl,
      DOWEL_PORT: '0',
    },
  });
  const output = { text: '' };
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      output.text += text;
    });
  }
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await rm(folder, { recursive: true });
  });
  return { child, output };
}

test('D1: a process that waits for its database ends on a signal', async () => {
  // Nothing listens there: no system assigns a port so low.
  const { child, output } = await startBackEnd('postgres://dowel:s3cret@127.0.0.1:1/dowel');
  await Promise.race([
    vi.waitFor(() => expect(output.text).toContain('database.awaited'), 120_000),
    failAtExit(child),
  ]);

  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');

  expect(code).toBe(0);
  expect(output.text).toMatch(/ECONNREFUSED/);
  expect(output.text).not.toContain('s3cret');
});

test.skipIf(!postgres.isAvailable)(
  'D1: a process that started before PostgreSQL is ready soon after it',
  async () => {
    const database = await postgres.create();
    onTestFinished(() => database.destroy());
    const url = new URL((database.location as { url: string }).url);
    const target = { host: url.hostname, port: Number(url.port) };
    let isUp = false;
    const proxy = createServer((inbound) => {
      inbound.on('error', () => {});
      if (!isUp) return inbound.destroy();
      const outbound = connect(target).on('error', () => {});
      inbound.pipe(outbound).pipe(inbound);
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    onTestFinished(() => void proxy.close());
    url.hostname = '127.0.0.1';
    url.port = String((proxy.address() as AddressInfo).port);
    const { output } = await startBackEnd(url.href);
    await vi.waitFor(() => expect(output.text).toContain('database.awaited'), 120_000);

    isUp = true;

    await vi.waitFor(() => expect(output.text).toContain('Dowel is at'), 120_000);
    expect(output.text).toContain('database.available');
  },
);

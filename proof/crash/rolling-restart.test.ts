/** A process that stops breaks no call: threat P3. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { calmStop } from '@dowel/server/testing';
import { expect, onTestFinished, test } from 'vitest';
import { restartInTurn } from './rolling-restart.ts';

test('P3: a restart resets none of 400 calls of clients that keep their connections', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dowel-restart-'));
  onTestFinished(() => rm(folder, { recursive: true }));

  const { failed, exits } = await restartInTurn({
    environment: { DOWEL_DATA_DIR: folder, ...calmStop },
    clients: 16,
    calls: 400,
    restarts: 1,
    nextCall: () => ({ method: 'GET', path: '/manifest.json' }),
  });

  expect(failed).toEqual({});
  expect(exits).toEqual([0]);
});

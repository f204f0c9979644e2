/**
 * Row E04: keys are rotated, values sealed anew and old keys pruned while two processes read and write,
 * and the commands are killed at random moments. DOWEL_CRASH=full for the catalogue's size.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openKeyring, openStore } from '@dowel/installation-store';
import { assertGrantOf, seedGrants } from '@dowel/installation-store/testing';
import { expect, test } from 'vitest';
import type { LoadReport } from './testing/load-process.ts';
import { runCli } from './testing/run-cli.ts';

const isFull = process.env.DOWEL_CRASH === 'full';
const rows = isFull ? 5_000 : 1_000;
const kills = isFull ? 10 : 5;
const processes = 2;
const steps = [['keys', 'rotate'], ['reencrypt'], ['keys', 'prune']];
const loadProcess = fileURLToPath(new URL('./testing/load-process.ts', import.meta.url));

test(`E04: ${kills} kills of the commands under load fail no call and lose no row`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dowel-rotation-'));
  const settings = { DOWEL_DATA_DIR: folder, NODE_ENV: 'production' };
  const path = join(folder, 'dowel.sqlite');
  const keyPath = join(folder, 'encryption.key');
  expect((await runCli(['keys', 'create'], settings)).code).toBe(0);
  const keyring = openKeyring({ path: keyPath, production: true });
  const store = await openStore({ path, keyring });
  const installations = await seedGrants(store, rows);
  const load = Array.from({ length: processes }, () => fork(loadProcess, [path, keyPath]));
  for (const child of load) {
    child.send(installations.map(({ id, tenantId }) => ({ id, tenantId })));
  }

  let killed = 0;
  for (let turn = 0; killed < kills; turn += 1) {
    const step = steps[turn % steps.length] ?? [];
    // From before its first statement to some while into its work.
    const { code, err } = await runCli(
      step,
      settings,
      150 + Math.random() * (isFull ? 2_500 : 700),
    );
    if (code === null) killed += 1;
    else expect(`${code} ${err}`).toMatch(/^0 |^1 Key \w+ stays/);
  }
  for (const step of steps)
    expect(await runCli(step, settings)).toMatchObject({ code: 0, err: '' });

  const reports = await Promise.all(
    load.map(async (child) => {
      const reported = once(child, 'message');
      const ended = once(child, 'exit');
      child.send('stop');
      const [report] = (await reported) as [LoadReport];
      await ended;
      return report;
    }),
  );
  for (const { reads, writes, failures } of reports) {
    expect(failures).toEqual([]);
    expect(reads).toBeGreaterThan(100);
    expect(writes).toBeGreaterThan(50);
  }
  expect(keyring.keyIds()).toHaveLength(1);
  for (const { id, tenantId } of installations) {
    assertGrantOf(tenantId, await store.grants.load(id));
    await store.renewals.loadTrigger(id);
  }
  expect(await runCli(['keys', 'list'], settings)).toMatchObject({
    code: 0,
    out: expect.stringMatching(
      `^${keyring.activeKeyId()}  active   ${(rows * 5).toLocaleString('en')} values, .*\n$`,
    ),
  });
  await store.close();
  await rm(folder, { recursive: true });
}, 120_000);

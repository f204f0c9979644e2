/**
 * Row E04: keys are rotated, values re-encrypted and old keys pruned while two processes read and write. The
 * commands are killed at random moments. DOWEL_TESTS=all runs the full size, and PostgreSQL, where pruning
 * waits for transactions that overlap the rotation.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openKeyring, openStore } from '@dowel/installation-store';
import {
  assertGrantOf,
  failAtExit,
  seedGrants,
  testDatabases,
  tokensOf,
} from '@dowel/installation-store/testing';
import { expect, test } from 'vitest';
import type { LoadReport } from './testing/load-process.ts';
import { runCli } from './testing/run-cli.ts';

const runsAll = process.env.DOWEL_TESTS === 'all';
const rows = runsAll ? 5_000 : 1_000;
const kills = runsAll ? 10 : 5;
const processes = 2;
const steps = [['keys', 'rotate'], ['reencrypt'], ['keys', 'prune']];
const loadProcess = fileURLToPath(new URL('./testing/load-process.ts', import.meta.url));

/** Runs commands one after another. Each is killed at a random moment, possibly before its first statement. */
async function killSome(settings: Record<string, string>): Promise<void> {
  let killed = 0;
  for (let turn = 0; killed < kills; turn += 1) {
    const killAfterMs = 150 + Math.random() * (runsAll ? 2_500 : 700);
    const { code, err } = await runCli(steps[turn % steps.length] ?? [], settings, { killAfterMs });
    if (code === null) killed += 1;
    else expect(`${code} ${err}`).toMatch(/^0 |^1 (Waiting .*\n)?Key \w+ stays/);
  }
}

async function stop(child: ChildProcess): Promise<LoadReport> {
  const reported = Promise.race([once(child, 'message'), failAtExit(child)]);
  const ended = once(child, 'exit');
  child.send('stop');
  const [report] = (await reported) as [LoadReport];
  await ended;
  return report;
}

for (const { name, isAvailable, create } of testDatabases) {
  if (!isAvailable || (name !== 'SQLite' && !runsAll)) continue;
  test(`E04 on ${name}: ${kills} kills of the commands under load fail no call and lose no row`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'dowel-rotation-'));
    const database = await create();
    const { location } = database;
    const keyFile = { path: join(folder, 'encryption.key'), production: true };
    const settings = {
      ...('url' in location
        ? { DOWEL_DATABASE_URL: location.url }
        : { DOWEL_DATA_DIR: join(location.path, '..') }),
      DOWEL_KEY_FILE: keyFile.path,
      NODE_ENV: 'production',
    };
    expect((await runCli(['keys', 'create'], settings)).code).toBe(0);
    const keyring = openKeyring(keyFile);
    const store = await openStore({ ...location, keyring });
    const installations = await seedGrants(store, rows);
    const load = Array.from({ length: processes }, () =>
      fork(loadProcess, [JSON.stringify(location), keyFile.path]),
    );
    for (const child of load) {
      child.send(installations.map(({ id, tenantId }) => ({ id, tenantId })));
    }

    await killSome(settings);
    for (const step of steps) expect(await runCli(step, settings)).toMatchObject({ code: 0 });

    for (const { reads, writes, failures } of await Promise.all(load.map(stop))) {
      expect(failures).toEqual([]);
      expect(reads).toBeGreaterThan(100);
      expect(writes).toBeGreaterThan(50);
    }
    // This store slept during the rotations. It loads the remaining key before it seals a value.
    const [first] = installations;
    const grant = first && (await store.grants.load(first.id));
    if (!grant) throw new Error('The first grant is gone');
    await store.transaction(({ grants }) => grants.commitRefresh(grant, tokensOf(first.tenantId)));
    expect(keyring.keyIds()).toEqual(openKeyring(keyFile).keyIds());
    expect(keyring.keyIds()).toHaveLength(1);
    for (const { id, tenantId } of installations) {
      assertGrantOf(tenantId, await store.grants.load(id));
      await store.renewals.loadTrigger(id);
    }
    expect(await runCli(['keys', 'list'], settings)).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        `^${keyring.activeKeyId()}  active   ${(rows * 5).toLocaleString('en')} values, .*\\n$`,
      ),
    });
    await store.close();
    await database.destroy();
    await rm(folder, { recursive: true });
  });
}

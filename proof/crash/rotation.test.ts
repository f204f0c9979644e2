/** Killed while one encryption key follows another, beside a process that serves: threat K9. */
import { utimes } from 'node:fs/promises';
import { type Installation, openKeyring, openStore, type Store } from '@dowel/installation-store';
import { assertGrantOf, seedGrants } from '@dowel/installation-store/testing';
import { describe, expect, test } from 'vitest';
import { engines, shareCrashPlatform } from './crash-suite.ts';
import { collectRows } from './crash-table.ts';
import type { CrashWorld } from './crash-world.ts';
import { type KillStep, runsAll } from './kill-steps.ts';
import { installPlugin, notify, placePlugin } from './placed-plugin.ts';
import { runCommand } from './run-command.ts';
import { findDamage } from './stored-state.ts';

const shared = shareCrashPlatform();
const addRow = collectRows();

/** Two and a half batches in each of two tables, or one and a bit. */
const rows = runsAll ? 250 : 120;
const seededAtOnce = 40;
const batches = runsAll ? [1, 2, 3, 4, 5] : [1];
const keyFileSteps: KillStep[] = [
  ...(runsAll ? [{ step: 'before the new key file has its name', points: ['before rename'] }] : []),
  { step: 'after the new key file has its name', points: ['after rename'] },
];

const commands: { command: string; steps: KillStep[] }[] = [
  { command: 'keys rotate', steps: keyFileSteps },
  {
    command: 'reencrypt',
    // Each run continues where the last one was killed, so each is killed after one more batch.
    steps: batches.flatMap((batch) => [
      {
        step: `inside batch ${batch}`,
        points: ['after begin', ...Array<string>(20).fill('after write')],
      },
      ...(runsAll
        ? [{ step: `after batch ${batch}`, points: ['after begin', 'after commit'] }]
        : []),
    ]),
  },
  { command: 'keys prune', steps: keyFileSteps },
];

async function seed(store: Store): Promise<Installation[]> {
  const installations: Installation[] = [];
  while (installations.length < rows) {
    const missing = rows - installations.length;
    installations.push(...(await seedGrants(store, Math.min(missing, seededAtOnce))));
  }
  return installations;
}

/** Makes the rotation look old, so that no transaction overlaps it. */
async function age({ keyFile }: CrashWorld): Promise<void> {
  await utimes(keyFile.path, new Date(), new Date(Date.now() - 60_000));
}

/** A process that starts now reads every value, and one that has run all the while goes on. */
async function expectAllReadable(
  world: CrashWorld,
  installations: readonly Installation[],
): Promise<void> {
  const keyring = openKeyring(world.keyFile);
  const store = await openStore({ ...world.database.location, keyring });
  try {
    for (const { id, tenantId } of installations) {
      assertGrantOf(tenantId, await store.grants.load(id));
    }
  } finally {
    await store.close();
  }
  expect(await findDamage(world)).toEqual([]);
}

describe.concurrent.each(runsAll ? engines : engines.slice(0, 1))('on $name', (engine) => {
  test('K9: kills of rotate, reencrypt and prune leave every value readable, and the next run ends the work', () =>
    shared.inWorld(engine, async (world) => {
      const installations = await seed(await world.store());
      const plugin = await placePlugin(world, await installPlugin(world));
      const [oldKey] = openKeyring(world.keyFile).keyIds();

      for (const { command, steps } of commands) {
        for (const { step, points } of steps) {
          await age(world);
          const { signal, output } = await runCommand(command, world.environment, points);
          expect(signal, `${command} ${step}: ${output}`).toBe('SIGKILL');
          const killedAt = performance.now();

          await expectAllReadable(world, installations);
          expect((await notify(world, plugin)).status).toBe(200);
          addRow({
            scenario: command,
            step,
            engine: engine.name,
            kills: 1,
            healedInMs: performance.now() - killedAt,
            result: `0 of ${rows} unreadable`,
          });
        }
        await age(world);
        const ended = await runCommand(command, world.environment);
        expect(ended.code, ended.output).toBe(0);
      }

      expect(openKeyring(world.keyFile).keyIds()).toHaveLength(1);
      expect(openKeyring(world.keyFile).keyIds()).not.toContain(oldKey);
      await expectAllReadable(world, installations);
    }));
});

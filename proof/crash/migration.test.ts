/** Killed while it migrates a database that a former version has filled: threats K9 and P7. */
import {
  listMigrations,
  migrateTo,
  type TestDatabaseKind,
} from '@dowel/installation-store/testing';
import { describe, expect, test } from 'vitest';
import { copyRows, countRows } from './copy-rows.ts';
import { engines, expectWell, patienceMs, shareCrashPlatform } from './crash-suite.ts';
import { collectRows } from './crash-table.ts';
import type { CrashWorld } from './crash-world.ts';
import { runsAll } from './kill-steps.ts';
import { installPlugin, type PlacedPlugin, placePlugin } from './placed-plugin.ts';
import { findDamage } from './stored-state.ts';

const shared = shareCrashPlatform();
const addRow = collectRows();

/** More statements than all migrations have together. */
const mostStatements = 200;
const statements = runsAll ? Array.from({ length: mostStatements }, (_, index) => index + 1) : [11];
const tried = runsAll ? engines : engines.slice(0, 1);

/** Fills a database with the current back end, and converts it to the schema before `migration`. */
async function createFormer(
  kind: TestDatabaseKind,
  world: CrashWorld,
  migration: string,
): Promise<PlacedPlugin> {
  await world.start();
  const plugin = await placePlugin(world, await installPlugin(world));
  await placePlugin(world, await installPlugin(world));
  const former = await kind.createEmpty();
  await migrateTo(former.location, migration);
  await copyRows(world.database, former);
  await world.moveTo(former);
  return plugin;
}

describe.concurrent.each(tried)('on $name', (engine) => {
  test(
    'K9: kills between the statements of its migrations lose no row, and the next start ends them',
    { timeout: 10 * patienceMs },
    () =>
      shared.inWorld(engine, async (world) => {
        const [oldest = ''] = await listMigrations(world.database.location);
        const plugin = await createFormer(engine, world, oldest);
        const before = await countRows(world.database);
        let kills = 0;
        const points = [
          ['before commit'],
          // The last statements come after the commit, before the process is ready.
          ...statements.map((count) => Array<string>(count).fill('after statement')),
        ];
        for (const each of points) {
          if (!(await world.killAtStart(['after begin', ...each]))) break;
          kills += 1;
          expect(await findDamage(world)).toEqual([]);
          expect(await countRows(world.database)).toEqual(before);
        }
        const killedAt = performance.now();
        await world.start();

        expect(await countRows(world.database)).toMatchObject(before);
        await expectWell(world, plugin);
        expect(kills).toBeGreaterThanOrEqual(runsAll ? 40 : 2);
        addRow({
          scenario: 'migration',
          step: `after each statement since ${oldest}`,
          engine: engine.name,
          kills,
          healedInMs: performance.now() - killedAt,
          result: '0 rows lost',
        });
      }),
  );
});

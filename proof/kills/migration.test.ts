/** Killed while it migrates a database that a former version has filled: threats K9 and P7. */
import {
  listMigrations,
  migrateTo,
  type TestDatabaseKind,
} from '@dowel/installation-store/testing';
import { describe, expect, test } from 'vitest';
import { copyRows, countRows } from './copy-rows.ts';
import { enginesFor, expectWell, shareKillPlatform } from './kill-suite.ts';
import type { KillWorld } from './kill-world.ts';
import { installPlugin, type PlacedPlugin, placePlugin } from './placed-plugin.ts';
import { findDamage } from './stored-state.ts';

const shared = shareKillPlatform();

/** Fills a database with the current back end, and converts it to the schema before `migration`. */
async function createFormer(
  kind: TestDatabaseKind,
  world: KillWorld,
  migration: string,
): Promise<PlacedPlugin> {
  const plugin = await placePlugin(world, await installPlugin(world));
  await placePlugin(world, await installPlugin(world));
  const former = await kind.createEmpty();
  await migrateTo(former.location, migration);
  await copyRows(world.database, former);
  await world.moveTo(former);
  return plugin;
}

const points = [
  ['after begin', ...Array<string>(11).fill('after statement')],
  ['after begin', 'before commit'],
];

describe.concurrent.each(enginesFor('SQLite'))('on $name', (engine) => {
  test('K9: kills inside its migrations lose no row, and the next start ends them', () =>
    shared.inWorld(engine, async (world) => {
      const [oldest = ''] = await listMigrations(world.database.location);
      const plugin = await createFormer(engine, world, oldest);
      const before = await countRows(world.database);
      for (const each of points) {
        await world.killAtStart(each);
        expect(await findDamage(world)).toEqual([]);
        expect(await countRows(world.database)).toEqual(before);
      }
      await world.start();

      expect(await countRows(world.database)).toMatchObject(before);
      await expectWell(world, plugin);
    }));
});

/** How long hook deliveries are kept, and the tombstones that they belong to. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { HookOutcome } from '../stores/hook-settling.ts';
import {
  createMaintenanceWorld,
  dayMs,
  type MaintenanceWorld,
} from '../testing/maintenance-world.ts';
import { testDatabases } from '../testing/test-databases.ts';

for (const { name, isAvailable, create } of testDatabases) {
  describe.skipIf(!isAvailable)(`hook deliveries on ${name}`, () => {
    let world: MaintenanceWorld;

    beforeEach(async () => {
      world = await createMaintenanceWorld(create);
    });

    afterEach(() => world.database.destroy());

    async function append(installationId: string, outcome?: HookOutcome): Promise<string> {
      const { hooks } = world.store;
      const entry = { installationId, generation: 1, event: 'installed', data: {} } as const;
      const { id } = await hooks.append(entry);
      if (!outcome) return id;
      const claim = { owner: 'o', limit: 9, leaseMs: 9_000, except: [], handles: () => true };
      const { claimed } = await hooks.claim(claim);
      for (const each of claimed) await hooks.settle(each, outcome);
      return id;
    }

    const parked = { state: 'parked', error: 'no' } as const;

    test('S29: a tombstone with a waiting or parked delivery is purged after that is settled', async () => {
      const { store, maintain, now, count } = world;
      const installation = await world.begin();
      await world.uninstall(installation, 2);
      await append(installation.id);
      expect(await maintain(now + 31 * dayMs)).toMatchObject({ deleted: { installations: 0 } });

      await world.database.shiftClock(10 * dayMs);
      const claim = { owner: 'o', limit: 9, leaseMs: 9_000, except: [], handles: () => true };
      const { claimed } = await store.hooks.claim(claim);
      for (const each of claimed) await store.hooks.settle(each, parked);
      await world.database.shiftClock(-10 * dayMs);
      expect(await maintain(now + 32 * dayMs)).toMatchObject({ deleted: { installations: 0 } });

      await store.hooks.replay(claimed[0]?.id ?? '');
      expect(await store.hooks.listParked({ limit: 9 })).toEqual([]);
      expect(await maintain(now + 33 * dayMs)).toMatchObject({ deleted: { installations: 1 } });
      expect(await count('hook_deliveries')).toBe(0);
      expect(await count('hook_streams')).toBe(0);
    });
  });
}

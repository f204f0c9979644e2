/** Locations of keys that verified a signature, kept for the next start (docs/decisions/0022). */

import type { KeyLocationStore } from '../key-location-store.ts';
import type { Database } from '../sql/database.ts';

/** Beyond this number, the least recently used are deleted. */
const maxKeyLocations = 512;

/** Creates the store of one database. See {@link KeyLocationStore}. */
export function createKeyLocationStore({ db, now }: Database): KeyLocationStore {
  return {
    list: () =>
      db
        .selectFrom('key_locations')
        .select(['location', 'used_at as usedAt'])
        .orderBy('used_at', 'desc')
        .orderBy('location')
        .execute(),

    async remember(location) {
      await db
        .insertInto('key_locations')
        .values({ location, used_at: now() })
        .onConflict((conflict) => conflict.column('location').doUpdateSet({ used_at: now() }))
        .execute();
      await db
        .deleteFrom('key_locations')
        .where('location', 'in', (eb) =>
          eb
            .selectFrom('key_locations as oldest')
            .select('oldest.location')
            .orderBy('oldest.used_at', 'desc')
            .orderBy('oldest.location')
            .limit(maxKeyLocations)
            .offset(maxKeyLocations),
        )
        .execute();
    },
  };
}

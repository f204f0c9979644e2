import type { Database } from '../sql/database.ts';

export interface KeyLocation {
  /** The URL of a key document. */
  location: string;
  /** When one of its keys last verified a signature, by the database's clock, to about a day. */
  usedAt: number;
}

const maxKeyLocations = 512;

/**
 * Locations of keys that have verified a signature, for all processes (docs/decisions/0022). After a restart they have
 * priority over locations that strangers invent. Contains no keys.
 */
export function createKeyLocationStore({ db, now }: Database) {
  return {
    /** Most recently used first, at most 512. */
    list: (): Promise<KeyLocation[]> =>
      db
        .selectFrom('key_locations')
        .select(['location', 'used_at as usedAt'])
        .orderBy('used_at', 'desc')
        .orderBy('location')
        .execute(),

    /** Records that the location is in use. Beyond 512, the least recently used are deleted. */
    async remember(location: string): Promise<void> {
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

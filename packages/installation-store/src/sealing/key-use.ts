/**
 * How many values each key has sealed. AES-GCM with random nonces allows 2^32 uses of one key (NIST SP
 * 800-38D §8.3). Processes count in memory and add their counts from time to time. A killed process loses up
 * to a quarter of an hour of them, so the number is a lower bound, and the warning comes at half.
 */
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../sql/tables.ts';
import type { Keyring } from './keyring.ts';

/** A key with this many uses should be replaced. */
export const warnAtUses = 2 ** 31;

/** Returns a function that adds the uses that were counted since its last call. */
export function createUseRecorder(db: Kysely<Tables>, keyring: Keyring): () => Promise<void> {
  const added = new Map<string, number>();

  return async () => {
    for (const [id, uses] of keyring.uses()) {
      const before = added.get(id) ?? 0;
      if (uses === before) continue;
      // Set before the statement, so that two calls at once do not add the same uses twice.
      added.set(id, uses);
      try {
        await db
          .updateTable('key_checks')
          .set({ uses: sql`uses + ${uses - before}` })
          .where('key_id', '=', id)
          .execute();
      } catch (error) {
        added.set(id, (added.get(id) ?? 0) - (uses - before));
        throw error;
      }
    }
  };
}

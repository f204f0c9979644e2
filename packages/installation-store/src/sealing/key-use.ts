/**
 * How often each key has sealed. AES-GCM with random nonces bears 2^32 uses of one key (NIST SP 800-38D
 * §8.3). Processes count in memory and add what they counted from time to time: a killed one takes up
 * to a quarter of an hour with it, so the number is a lower bound, and the warning comes at half.
 */
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../sql/tables.ts';
import type { Keyring } from './keyring.ts';

/** From here on a key should be followed by another. */
export const warnAtUses = 2 ** 31;

/** Returns what adds this keyring's uses, as far as they are not added yet. */
export function createUseRecorder(db: Kysely<Tables>, keyring: Keyring): () => Promise<void> {
  const added = new Map<string, number>();

  return async () => {
    for (const [id, uses] of keyring.uses()) {
      const before = added.get(id) ?? 0;
      if (uses === before) continue;
      // Before the statement: two calls at once must not add the same uses twice.
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

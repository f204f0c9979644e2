/** What `node:sqlite` throws, as the store's errors. Its messages name tables and columns, never a value. */
import { StoreError } from '../errors.ts';

const busy = 5;
/** Locked, out of memory, read-only, I/O error, disk full, file not to be opened, locking protocol. */
const passing = [busy, 6, 7, 8, 10, 13, 14, 15];
/** Corrupt, or no database at all. */
const lasting = [11, 26];

const whenDamaged =
  'It is damaged, or no database of Dowel. Stop Dowel, move the file away with its -wal and -shm, and put your copy in its place; without a copy start with an empty one, and have each tenant install again.';

/** Another process writes: the statement may be tried again. */
export const isBusy = (error: unknown) => primaryCodeOf(error) === busy;

/** @param database names it. */
export function toStoreError(error: unknown, database: string): unknown {
  const code = primaryCodeOf(error);
  const message = `${database} cannot be used: ${(error as Error).message}`;
  if (passing.includes(code)) {
    return new StoreError('DATABASE_UNAVAILABLE', message, { cause: error });
  }
  if (lasting.includes(code)) {
    return new StoreError('DATABASE_UNUSABLE', `${message}. ${whenDamaged}`, { cause: error });
  }
  return error;
}

/** Extended codes keep the kind in their lowest byte. */
function primaryCodeOf(error: unknown): number {
  return ((error as { errcode?: number } | undefined)?.errcode ?? 0) & 0xff;
}

/** Converts errors of `node:sqlite` to the store's errors. Its messages contain tables and columns, never values. */
import { StoreError } from '../errors.ts';

const busy = 5;
/** Locked, out of memory, read-only, I/O error, disk full, cannot open the file, locking protocol. */
const passing = [busy, 6, 7, 8, 10, 13, 14, 15];
/** Read-only, disk full: it answers reads. */
const withoutWrites = [8, 13];
/** Corrupt, or not a database. */
const lasting = [11, 26];

const whenDamaged =
  'It is damaged, or not a database of Dowel. Stop Dowel and move the file away, with its -wal and -shm. Put your copy in its place. Without a copy, start with an empty database and let each tenant install again.';

/** Another process writes. The statement may be tried again. */
export const isBusy = (error: unknown) => primaryCodeOf(error) === busy;

/**
 * The error of one statement, which SQLite has undone; of a COMMIT, it has undone the transaction.
 *
 * @param database its name for messages.
 */
export function toStoreError(error: unknown, database: string): unknown {
  const code = primaryCodeOf(error);
  const message = `${database} cannot be used: ${(error as Error).message}`;
  if (passing.includes(code)) {
    const reason = code === busy ? 'database_busy' : 'database_unreachable';
    const lack = withoutWrites.includes(code) ? 'writes' : undefined;
    const options = { cause: error, reason, isUnwritten: true, lack } as const;
    return new StoreError('DATABASE_UNAVAILABLE', message, options);
  }
  if (lasting.includes(code)) {
    return new StoreError('DATABASE_UNUSABLE', `${message}. ${whenDamaged}`, { cause: error });
  }
  return error;
}

/** The lowest byte of an extended code is the kind of error. */
function primaryCodeOf(error: unknown): number {
  return ((error as { errcode?: number } | undefined)?.errcode ?? 0) & 0xff;
}

/**
 * Reads the change log of a SQLite file, so that the processes on one file notice each other's changes. A look
 * costs a few microseconds, however many installations there are: `PRAGMA data_version` shows whether another
 * connection committed, and only then the rows since the last look are read. It never waits: it reads beside a
 * writer.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { ChangeListener } from '../sql/database.ts';

const lookMs = 100;
const rowsPerPage = 500;
/** The rest follows with the next look. */
const maxPages = 20;

interface ChangeRow {
  id: number;
  installation_id: string;
  of_tokens: number;
  origin: string;
}

/** Calls back with what is committed from now on. Returns a function that stops it. */
export function readChanges(database: DatabaseSync, listener: ChangeListener): () => void {
  const look = followChanges(database, listener);
  const looking = setInterval(() => {
    if (!listener.isHeard()) return;
    try {
      look();
    } catch {
      // The next look reads the same rows.
    }
  }, lookMs).unref();
  return () => clearInterval(looking);
}

/**
 * Follows the log from now on.
 *
 * @returns calls back with what was committed since its last call. It returns false if there is more, for the next
 *   call, and throws SQLite's error.
 */
export function followChanges(
  database: DatabaseSync,
  listener: Pick<ChangeListener, 'onChange' | 'onGap'>,
): () => boolean {
  const columns = 'id, installation_id, of_tokens, origin';
  const readVersion = database.prepare('PRAGMA data_version');
  const readNewest = database.prepare(`select ${columns} from changes order by id desc limit 1`);
  const readFrom = database.prepare(
    `select ${columns} from changes where id >= ? order by id limit ${rowsPerPage}`,
  );
  /** The newest row that was announced. Undefined: the log had none. */
  let last = readNewest.get() as ChangeRow | undefined;
  let seenVersion: unknown;

  function look(): boolean {
    // Read first: a commit between the two is seen by the next look.
    const version = readVersion.get()?.data_version;
    if (version === seenVersion) return true;
    for (let pages = 0; pages < maxPages; pages += 1) {
      const rows = readFrom.all(last?.id ?? 0) as unknown as ChangeRow[];
      announce(rows);
      if (rows.length < rowsPerPage) {
        seenVersion = version;
        return true;
      }
    }
    return false;
  }

  /** @param rows the first one is the last one that was announced, if the log still has it */
  function announce(rows: readonly ChangeRow[]): void {
    const isKnown = last !== undefined && isSame(rows[0], last);
    const fresh = isKnown ? rows.slice(1) : rows;
    if ((last && !isKnown) || !follow(fresh, last?.id ?? 0)) listener.onGap();
    // Without rows, they were numbered again.
    last = fresh.at(-1) ?? (isKnown ? last : (readNewest.get() as ChangeRow | undefined));
    for (const { installation_id: installationId, of_tokens: ofTokens, origin } of fresh) {
      listener.onChange({ installationId, ofTokens: ofTokens === 1 }, origin);
    }
  }

  return look;
}

/** False: maintenance has cut the log, or a backup was restored into this file, and rows are numbered again. */
function isSame(row: ChangeRow | undefined, { id, installation_id, origin }: ChangeRow): boolean {
  return row?.id === id && row.installation_id === installation_id && row.origin === origin;
}

/** SQLite gives the numbers in the order of commits and without gaps, so a gap was cut by maintenance. */
function follow(rows: readonly ChangeRow[], lastId: number): boolean {
  return rows.every(({ id }, index) => id === lastId + 1 + index);
}

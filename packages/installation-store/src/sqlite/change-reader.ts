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
  const readVersion = database.prepare('PRAGMA data_version');
  const readPage = database.prepare(
    `select id, installation_id, of_tokens, origin from changes where id > ? order by id limit ${rowsPerPage}`,
  );
  const last = database
    .prepare(
      "select coalesce((select seq from sqlite_sequence where name = 'changes'), 0) as position",
    )
    .get();
  let position = Number(last?.position);
  let seenVersion: unknown;

  function look(): boolean {
    // Read first: a commit between the two is seen by the next look.
    const version = readVersion.get()?.data_version;
    if (version === seenVersion) return true;
    for (let pages = 0; pages < maxPages; pages += 1) {
      const rows = readPage.all(position) as unknown as ChangeRow[];
      for (const row of rows) announce(row);
      if (rows.length < rowsPerPage) {
        seenVersion = version;
        return true;
      }
    }
    return false;
  }

  /** SQLite gives the numbers in the order of commits and without gaps, so a gap was cut by maintenance. */
  function announce({
    id,
    installation_id: installationId,
    of_tokens: ofTokens,
    origin,
  }: ChangeRow) {
    if (id !== position + 1) listener.onGap();
    position = id;
    listener.onChange({ installationId, ofTokens: ofTokens === 1 }, origin);
  }

  return look;
}

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
export function readChanges(
  database: DatabaseSync,
  listener: Pick<ChangeListener, 'onChange' | 'onGap' | 'isHeard'>,
): () => void {
  const readVersion = database.prepare('PRAGMA data_version');
  const readAfter = database.prepare(
    `select id, installation_id, of_tokens, origin from changes
      where id > ? order by id limit ${rowsPerPage}`,
  );
  const newest = database.prepare('select max(id) as id from changes').get();
  /** The newest row that was announced. */
  let last = Number(newest?.id ?? 0);
  let seenVersion: unknown;

  function look(): void {
    // Read first: a commit between the two is seen by the next look.
    const version = readVersion.get()?.data_version;
    if (version === seenVersion) return;
    for (let pages = 0; pages < maxPages; pages += 1) {
      const rows = readAfter.all(last) as unknown as ChangeRow[];
      for (const row of rows) announce(row);
      if (rows.length < rowsPerPage) {
        seenVersion = version;
        return;
      }
    }
  }

  function announce({ id, installation_id, of_tokens, origin }: ChangeRow): void {
    // SQLite gives the numbers in the order of commits and without gaps, so a gap was cut by maintenance.
    if (id !== last + 1) listener.onGap();
    last = id;
    listener.onChange({ installationId: installation_id, ofTokens: of_tokens === 1 }, origin);
  }

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

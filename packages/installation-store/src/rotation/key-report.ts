/**
 * The report of the keys. How many values a key seals needs a walk through whole tables, which takes long in a
 * large database. So the walk reads small pages with a pause after each, and goes on after the answer. On SQLite the
 * thread of the reports reads them. It is no snapshot: only `keys prune`, which counts again under a lock, decides that a key is removed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { listRegisteredKeys } from '../sealing/key-check.ts';
import type { Keyring } from '../sealing/keyring.ts';
import { countSealedPage } from '../sealing/read-sealed.ts';
import { sealedTables } from '../sealing/sealed-columns.ts';
import type { Database } from '../sql/database.ts';
import { describeKeys, type KeyUsage } from './keyring-rotation.ts';

/** One encryption key. `values` is null while they are being counted for the first time. */
type KeyFacts = Omit<KeyUsage, 'values'> & { values: number | null };

export interface KeyReport {
  /** The keys of this process, the active one first, then the missing ones. */
  keys: KeyFacts[];
  /** Values that name no key: they are damaged. */
  unnamedValues: number;
  /** When the newest complete count ended, in epoch milliseconds; null: there is none yet. */
  countedAt: number | null;
  /** The rows that a count under way has read; null: none is under way. */
  counting: { rows: number } | null;
}

/** Reading this many takes about a millisecond, for which other reports on SQLite wait. */
const pageRows = 100;
/** The pause after each page, so that half of the time is left for other work. */
const pauseMs = 1;
/** How long an answer waits for the count. */
const patienceMs = 300;
const minAgeMs = 5_000;
/** A new count begins after this many times the duration of the last one. */
const restShare = 10;

type Counts = ReadonlyMap<string | undefined, number>;

interface Count {
  counts: Counts;
  endedAt: number;
  tookMs: number;
}

export interface KeyReporter extends Pick<Database, 'db' | 'now'> {
  keyring: Keyring;
  running: Promise<void> | undefined;
  /** How many rows the running count has read. */
  rows: number;
  latest: Count | undefined;
  ending: AbortController;
}

/** Creates the reporter of one store. It counts only when a report is requested. */
export function createKeyReporter(
  database: Pick<Database, 'db' | 'now'>,
  keyring: Keyring,
): KeyReporter {
  return {
    ...database,
    keyring,
    running: undefined,
    rows: 0,
    latest: undefined,
    ending: new AbortController(),
  };
}

export async function reportKeys(reporter: KeyReporter): Promise<KeyReport> {
  const { keyring } = reporter;
  if (isOld(reporter.latest)) startCount(reporter);
  await Promise.race([reporter.running, sleep(patienceMs, undefined, { ref: false })]);
  const registered = await listRegisteredKeys(reporter);
  const { latest, running, rows } = reporter;
  const counts: Counts = latest?.counts ?? new Map();
  // The key file may have keys that this process has not read yet.
  for (const { id } of registered) keyring.has(id);
  const keys = describeKeys(keyring.keyIds(), registered, counts);
  return {
    keys: keys.map((key) => ({ ...key, values: latest ? key.values : null })),
    unnamedValues: counts.get(undefined) ?? 0,
    countedAt: latest?.endedAt ?? null,
    counting: running ? { rows } : null,
  };
}

/** Ends a count that is under way. */
export async function stopReporter({ ending, running }: KeyReporter): Promise<void> {
  ending.abort();
  await running;
}

function isOld(latest: Count | undefined): boolean {
  if (!latest) return true;
  const ageMs = Date.now() - latest.endedAt;
  // A negative age means that the clock was set back.
  return ageMs < 0 || ageMs > Math.max(minAgeMs, restShare * latest.tookMs);
}

function startCount(reporter: KeyReporter): void {
  if (reporter.ending.signal.aborted) return;
  reporter.running ??= count(reporter)
    // The next report counts again. If the database does not answer, a statement of that report fails.
    .catch(() => {})
    .finally(() => {
      reporter.running = undefined;
    });
}

async function count(reporter: KeyReporter): Promise<void> {
  const { db, ending } = reporter;
  const startedAt = performance.now();
  const counts = new Map<string | undefined, number>();
  reporter.rows = 0;
  for (const table of sealedTables) {
    let after: string | undefined = '';
    while (after !== undefined) {
      const page = await countSealedPage(db, table, { after, limit: pageRows, counts });
      reporter.rows += page.rows;
      after = page.next;
      await sleep(pauseMs);
      if (ending.signal.aborted) return;
    }
  }
  const tookMs = performance.now() - startedAt;
  reporter.latest = { counts, endedAt: Date.now(), tookMs };
}

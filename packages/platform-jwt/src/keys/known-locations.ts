/**
 * The key locations that have served a good key, that is, one that verified a signature. Only the platform
 * can make a location known, so strangers cannot use up the limits of known locations.
 */
import { LRUCache } from 'lru-cache';
import { isWithin } from './fetch-budget.ts';

const maxLocations = 512;
const dayMs = 24 * 60 * 60 * 1000;
/** How often the memory is read, to find locations that another process has made known. */
const readEveryMs = 10_000;
/** How long after a failure of the memory a location is stored again. */
const retryMs = 60_000;

/**
 * A memory that outlives the process and may be shared by several. Errors and rejections are ignored here, so it
 * should log them itself.
 */
export interface KeyLocationMemory {
  /** The most recently used first. `usedAt` in epoch milliseconds. */
  list(): Promise<readonly { location: string; usedAt: number }[]>;
  remember(location: string): Promise<void>;
}

export interface KnownLocations {
  now: () => number;
  memory: KeyLocationMemory | undefined;
  /** When each was last stored in the memory. */
  notedAt: LRUCache<string, number>;
  readAt: number | undefined;
  reading: Promise<void>;
}

/** Creates the set of known locations of one verifier, which is empty until the memory is read. */
export function createKnownLocations(
  now: () => number,
  memory: KeyLocationMemory | undefined,
): KnownLocations {
  return {
    now,
    memory,
    notedAt: new LRUCache({ max: maxLocations }),
    readAt: undefined,
    reading: Promise.resolve(),
  };
}

export function isKnownLocation({ notedAt }: KnownLocations, location: string): boolean {
  return notedAt.get(location) !== undefined;
}

/** Reads the memory, at most every 10 s. Also resolves when that fails. */
export function refreshKnownLocations(known: KnownLocations): Promise<void> {
  const { now, memory, readAt } = known;
  if (!memory || (readAt !== undefined && isWithin(readEveryMs, readAt, now()))) {
    return known.reading;
  }
  known.readAt = now();
  known.reading = readMemory(known, memory).catch(() => undefined);
  return known.reading;
}

async function readMemory({ notedAt }: KnownLocations, memory: KeyLocationMemory): Promise<void> {
  const listed = await memory.list();
  for (const { location, usedAt } of listed.toReversed()) {
    if (notedAt.get(location) === undefined) notedAt.set(location, usedAt);
  }
}

/** Stores it in the memory about once a day. Callers do not wait for that; after a failure it is tried again later. */
export function addKnownLocation({ now, memory, notedAt }: KnownLocations, location: string): void {
  const noted = notedAt.get(location);
  if (noted !== undefined && isWithin(dayMs, noted, now())) return;
  notedAt.set(location, now());
  void (async () => memory?.remember(location))().catch(() =>
    notedAt.set(location, now() - dayMs + retryMs),
  );
}

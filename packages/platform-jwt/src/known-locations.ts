/**
 * The key locations that have served a good key: one under which a signature held. Only the platform
 * can make a location known, so what they cost cannot be used up by strangers.
 */
import { type BoundedMap, createBoundedMap } from './bounded-map.ts';
import { isWithin } from './fetch-budget.ts';

const maxLocations = 512;
const dayMs = 24 * 60 * 60 * 1000;
/** How often the memory is read for locations that another process has found good. */
const readEveryMs = 10_000;
/** When a location is noted again after the memory failed. */
const retryMs = 60_000;

/** Outlives the process, and may be shared by several. It is told about failures by nobody: log them. */
export interface KeyLocationMemory {
  /** The most recently used first. `usedAt` in epoch milliseconds. */
  list(): Promise<readonly { location: string; usedAt: number }[]>;
  remember(location: string): Promise<void>;
}

export interface KnownLocations {
  now: () => number;
  memory: KeyLocationMemory | undefined;
  /** When each was last noted in the memory. */
  notedAt: BoundedMap<number>;
  readAt: number | undefined;
  reading: Promise<void>;
}

export function createKnownLocations(
  now: () => number,
  memory: KeyLocationMemory | undefined,
): KnownLocations {
  return {
    now,
    memory,
    notedAt: createBoundedMap(maxLocations),
    readAt: undefined,
    reading: Promise.resolve(),
  };
}

export function isKnownLocation({ notedAt }: KnownLocations, location: string): boolean {
  return notedAt.get(location) !== undefined;
}

/** Reads the memory, at most every 10 s. Resolves also when it fails. */
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

/** Notes it in the memory about once a day. Nobody waits for that; a failure is made up for later. */
export function addKnownLocation({ now, memory, notedAt }: KnownLocations, location: string): void {
  const noted = notedAt.get(location);
  if (noted !== undefined && isWithin(dayMs, noted, now())) return;
  notedAt.set(location, now());
  memory?.remember(location).catch(() => notedAt.set(location, now() - dayMs + retryMs));
}

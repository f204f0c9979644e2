/** Counts by key within a window of time that begins with the key's first count. */
import { LRUCache } from 'lru-cache';

/** Above this number, the keys used longest ago are forgotten. */
const maxCounted = 10_000;

export interface WindowCounter {
  windowMs: number;
  /** Epoch milliseconds. A clock that is set back ends the windows. */
  now: () => number;
  counted: LRUCache<string, { startedAt: number; count: number }>;
}

/** Creates a counter of one process, which starts empty. */
export function createWindowCounter(windowMs: number, now: () => number): WindowCounter {
  // `max` would reserve all space at once.
  const counted = new LRUCache<string, { startedAt: number; count: number }>({
    maxSize: maxCounted,
    sizeCalculation: () => 1,
  });
  return { windowMs, now, counted };
}

/** The count of a key in its current window. */
export function countOf(counter: WindowCounter, key: string): number {
  return findWindow(counter, key)?.count ?? 0;
}

/** Adds to the count of a key. A key without counts takes no place from another one. */
export function addTo(counter: WindowCounter, key: string, change: number): void {
  const { startedAt = counter.now(), count: before = 0 } = findWindow(counter, key) ?? {};
  const count = before + change;
  if (count > 0) counter.counted.set(key, { startedAt, count });
  else counter.counted.delete(key);
}

function findWindow({ windowMs, now, counted }: WindowCounter, key: string) {
  const found = counted.peek(key);
  if (!found) return undefined;
  const ageMs = now() - found.startedAt;
  return ageMs >= 0 && ageMs < windowMs ? found : undefined;
}

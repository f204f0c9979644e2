/**
 * Counts the shapes of what the platform sent (docs/operations.md, "Shapes"). Counting happens in memory and never
 * fails; a timer writes the counts. No value is kept.
 */
import type { ShapeEntry, ShapeKind } from '@dowel/admin-api';
import type { Store } from '@dowel/installation-store';
import { describeShape } from '@dowel/schema';
import type { z } from 'zod';
import type { Log } from '../log/log.ts';
import type { DatabaseState } from './database-state.ts';

export interface ShapeTally {
  store: Pick<Store, 'transaction'>;
  database: Pick<DatabaseState, 'isAvailable'>;
  logger: Pick<Log, 'warn'>;
  /** Epoch milliseconds. */
  now: () => number;
  /** How many there were of each kind. */
  seen: Map<ShapeKind, number>;
  /** Counts that are not written yet. */
  pending: Map<string, ShapeEntry>;
  /** The write that is under way. */
  writing: Promise<void> | undefined;
}

/** To describe one costs about 0.1 ms. Further ones are described once in 100, and count for 100. */
const describedFirst = 1_000;
const describedOf = 100;
const maxPending = 200;
const maxLength = 4_000;

/** Creates the tally of one process, with nothing counted. */
export function createShapeTally(
  options: Pick<ShapeTally, 'store' | 'database' | 'logger' | 'now'>,
): ShapeTally {
  return { ...options, seen: new Map(), pending: new Map(), writing: undefined };
}

/** Describes and counts one, without a throw. */
export function tallyShape(
  tally: ShapeTally,
  kind: ShapeKind,
  describe: () => readonly string[],
): void {
  const weight = weighShape(tally, kind);
  if (weight === 0) return;
  try {
    countShape(tally, kind, { lines: describe(), weight });
  } catch (err) {
    tally.logger.warn({ kind, reason: (err as Error).name }, 'shapes.not_described');
  }
}

/** Counts one more. @returns for how many it counts; 0: it need not be described. */
export function weighShape({ seen }: ShapeTally, kind: ShapeKind): number {
  const count = (seen.get(kind) ?? 0) + 1;
  seen.set(kind, count);
  if (count <= describedFirst) return 1;
  return count % describedOf === 0 ? describedOf : 0;
}

/** @param weight from {@link weighShape} */
export function countShape(
  tally: ShapeTally,
  kind: ShapeKind,
  { lines, weight }: { lines: readonly string[]; weight: number },
): void {
  const at = tally.now();
  const shape = lines.join('; ').slice(0, maxLength);
  addCount(tally, { kind, shape, count: weight, firstAt: at, lastAt: at });
}

/** @param jwt with a verified signature: its parts are JSON objects. */
export function tallyJwt(
  tally: ShapeTally,
  kind: ShapeKind,
  { jwt, schema }: { jwt: string; schema: z.ZodType },
): void {
  tallyShape(tally, kind, () => {
    const [head, claims] = jwt.split('.').slice(0, 2).map(decode);
    return [
      ...describeShape(head, { issuer: String(claims?.iss) }).map((line) => `header/${line}`),
      ...describeShape(claims, { schema }),
    ];
  });
}

function decode(part: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
}

function addCount({ pending }: ShapeTally, added: ShapeEntry): void {
  const key = `${added.kind} ${added.shape}`;
  const before = pending.get(key);
  if (!before && pending.size >= maxPending) return;
  const { count = 0, firstAt = added.firstAt, lastAt = added.lastAt } = before ?? {};
  pending.set(key, {
    ...added,
    count: count + added.count,
    firstAt: Math.min(firstAt, added.firstAt),
    lastAt: Math.max(lastAt, added.lastAt),
  });
}

/** Writes what is pending. A second call waits for the first one. What fails is logged, and tried again. */
export function writeShapes(tally: ShapeTally): Promise<void> {
  tally.writing ??= writePending(tally).finally(() => {
    tally.writing = undefined;
  });
  return tally.writing;
}

async function writePending(tally: ShapeTally): Promise<void> {
  const { store, database, logger, pending } = tally;
  if (!database.isAvailable || pending.size === 0) return;
  const counts = [...pending.values()];
  pending.clear();
  try {
    await store.transaction(({ shapes }) => shapes.add(counts));
  } catch (err) {
    for (const count of counts) addCount(tally, count);
    logger.warn({ err }, 'shapes.not_stored');
  }
}

/** Writes the last counts. The store may be closed afterwards. */
export async function drainShapes(tally: ShapeTally): Promise<void> {
  await tally.writing;
  await writeShapes(tally);
}

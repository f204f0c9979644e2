import type { ShapeEntry } from '@dowel/admin-api';
import { expect, test, vi } from 'vitest';
import { createShapeTally, drainShapes, tallyShape, writeShapes } from './shape-tally.ts';

function createWorld() {
  const stored: ShapeEntry[] = [];
  const clock = { at: 1_000 };
  const database = { isAvailable: true };
  const add = vi.fn(async (counts: readonly ShapeEntry[]) => void stored.push(...counts));
  const shapes = { add, list: vi.fn() };
  const store = {
    transaction: (work: (stores: never) => Promise<never>) => work({ shapes } as never),
  };
  const logger = { warn: vi.fn() };
  const tally = createShapeTally({ store, database, logger, now: () => clock.at });
  return { tally, stored, clock, database, add, logger };
}

const shape = { kind: 'src', shape: '<uuid>' } as const;

test('counts are stored once, with first and last time, and the rest at the stop', async () => {
  const { tally, stored, clock } = createWorld();
  tallyShape(tally, 'src', () => ['<uuid>']);
  clock.at = 2_000;
  tallyShape(tally, 'src', () => ['<uuid>']);
  await writeShapes(tally);
  await writeShapes(tally);
  tallyShape(tally, 'src', () => ['<uuid>']);
  await drainShapes(tally);

  expect(stored).toEqual([
    { ...shape, count: 2, firstAt: 1_000, lastAt: 2_000 },
    { ...shape, count: 1, firstAt: 2_000, lastAt: 2_000 },
  ]);
});

test('counts that could not be stored are stored later', async () => {
  const { tally, stored, add, database, logger } = createWorld();
  tallyShape(tally, 'src', () => ['<uuid>']);
  add.mockRejectedValueOnce(new Error('The disk is full'));
  await writeShapes(tally);
  tallyShape(tally, 'src', () => ['<uuid>']);
  database.isAvailable = false;
  await writeShapes(tally);
  expect(stored).toEqual([]);
  database.isAvailable = true;
  await writeShapes(tally);

  expect(stored).toMatchObject([{ ...shape, count: 2 }]);
  expect(logger.warn).toHaveBeenCalledOnce();
});

test('after a thousand of a kind one in a hundred is described, and counts for all', () => {
  const { tally } = createWorld();
  const describe = vi.fn(() => ['<uuid>']);
  for (let index = 0; index < 1_500; index += 1) tallyShape(tally, 'src', describe);

  expect(describe).toHaveBeenCalledTimes(1_005);
  expect([...tally.pending.values()]).toMatchObject([{ count: 1_500 }]);
});

test('memory is bounded, and a description that fails is only logged', () => {
  const { tally, logger } = createWorld();
  for (let index = 0; index < 500; index += 1) {
    tallyShape(tally, 'src', () => ['x'.repeat(index), 'y'.repeat(10_000)]);
  }
  tallyShape(tally, 'init JWT', () => {
    throw new RangeError('canary');
  });

  expect(tally.pending.size).toBe(200);
  expect(Math.max(...[...tally.pending.values()].map((each) => each.shape.length))).toBe(4_000);
  expect(JSON.stringify(logger.warn.mock.calls)).not.toContain('canary');
});

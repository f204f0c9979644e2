/** Shapes of what the platform sent, counted by several processes. */
import assert from 'node:assert/strict';
import type { ShapeEntry } from '@dowel/admin-api';
import type { Store } from '../store.ts';
import { check } from './check.ts';

const counted = (changes: Partial<ShapeEntry>): ShapeEntry => ({
  kind: 'src',
  shape: '<tenantId>_<uuid>',
  count: 1,
  firstAt: 1_000,
  lastAt: 2_000,
  ...changes,
});

const add = (store: Store, counts: ShapeEntry[]) =>
  store.transaction(({ shapes }) => shapes.add(counts));

export const shapeChecks = [
  check('shapes that two processes counted add up, with first and last time', async (c) => {
    const long = 'x'.repeat(4_000);
    await add(c.store, [counted({ count: 2, firstAt: 500 }), counted({ shape: long })]);
    await add(c.other, [counted({ count: 3, lastAt: 9_000 }), counted({ kind: 'init JWT' })]);
    await add(c.other, []);

    assert.deepEqual(
      (await c.store.shapes.list()).map((entry) => ({ ...entry })),
      [
        counted({ kind: 'init JWT' }),
        counted({ count: 5, firstAt: 500, lastAt: 9_000 }),
        counted({ shape: long }),
      ],
    );
  }),

  check('of each kind the shapes that were seen last are kept', async ({ store, other }) => {
    await add(store, [counted({ kind: 'event install', shape: 'rare', lastAt: 1 })]);
    for (let at = 0; at < 30; at += 1) {
      await add(at % 2 ? store : other, [
        counted({ kind: 'token answer', shape: `s${at}`, firstAt: at, lastAt: at }),
      ]);
    }

    const shapes = await store.shapes.list();
    assert.deepEqual(
      shapes.filter(({ kind }) => kind === 'token answer').map(({ lastAt }) => lastAt),
      Array.from({ length: 20 }, (_, index) => 29 - index),
    );
    assert.ok(shapes.some(({ shape }) => shape === 'rare'));
  }),

  check('processes that count the same shapes at once wait for no deadlock', async (c) => {
    const all = Array.from({ length: 20 }, (_, index) =>
      counted({ kind: 'notification answer', shape: `s${index}` }),
    );

    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        index % 2 ? add(c.store, all) : add(c.other, all.toReversed()),
      ),
    );

    const counts = (await c.store.shapes.list())
      .filter(({ kind }) => kind === 'notification answer')
      .map(({ count }) => count);
    assert.deepEqual(
      counts,
      all.map(() => 10),
    );
  }),
];

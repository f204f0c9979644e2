import { liveChangesSchema, toRowPatch } from '@dowel/admin-api';
import { expect, it, vi } from 'vitest';
import { brokenFixture, installationFixture, serverNow } from '../testing/fixtures.ts';
import { FleetRows } from './fleet-rows.ts';

const before = brokenFixture({ tries: 7 });
const changed = (patch: object) => liveChangesSchema.parse({ now: serverNow, ...patch });
const patchOf = (row = before) => changed({ rows: [toRowPatch(row, serverNow)] });

async function loaded(...installations: (typeof before)[]) {
  const rows = new FleetRows();
  await rows.load(async () => ({ installations }));
  return rows;
}

it('keeps what the stream sent while an older answer was under way', async () => {
  const rows = await loaded(before);
  const unknown = installationFixture();

  const answer = rows.load(async () => {
    rows.apply(patchOf({ ...before, tries: 8 }));
    rows.apply(changed({ deltas: [{ id: unknown.id, tokenExpiresAt: 5, state: 'idle' }] }));
    return { installations: [before, unknown] };
  });

  await answer;
  expect(rows.get(before.id)?.tries).toBe(8);
  expect(rows.get(unknown.id)?.tokenExpiresAt).toBe(5);
});

it('takes an answer that was asked for after the last change', async () => {
  const rows = await loaded(before);
  rows.apply(patchOf({ ...before, tries: 8 }));

  await rows.load(async () => ({ installations: [{ ...before, tries: 9 }] }));

  expect(rows.get(before.id)?.tries).toBe(9);
});

it('applies what has changed to a row that it knows, and keeps no row that nobody has loaded', async () => {
  const rows = await loaded(before);

  rows.apply(changed({ deltas: [{ id: before.id, tries: 8, state: before.state }] }));
  rows.apply(patchOf(brokenFixture({ id: 'other' })));

  expect(rows.get(before.id)).toEqual({ ...before, tries: 8 });
  expect(rows.get('other')).toBeUndefined();
});

it('asks again for a row that comes into view after changes were missed', async () => {
  const rows = await loaded(before, installationFixture());
  rows.onUnsureInView = vi.fn();
  rows.noteGap();

  rows.watch(before.id, () => {});

  expect(rows.onUnsureInView).toHaveBeenCalledOnce();
  expect(rows.unsureInView()).toEqual([before.id]);
  await rows.reload([before.id], async () => ({ installations: [before] }));
  expect(rows.unsureInView()).toEqual([]);
});

const healthyAgain = changed({
  deltas: [{ id: before.id, tokenExpiresAt: serverNow + 1, state: 'active' }],
});

it('asks again for a row that it read between two changes', async () => {
  const rows = await loaded(before);
  rows.watch(before.id, () => {});
  rows.onUnsureInView = vi.fn();

  rows.apply(healthyAgain);

  expect(rows.onUnsureInView).toHaveBeenCalledOnce();
  expect(rows.unsureInView()).toEqual([before.id]);
});

it('asks again for a row whose second change came before the answer', async () => {
  const rows = await loaded(installationFixture({ id: before.id }));
  rows.watch(before.id, () => {});

  await rows.load(async () => {
    rows.apply(healthyAgain);
    return { installations: [before] };
  });

  expect(rows.unsureInView()).toEqual([before.id]);
});

it('stays unsure of an answer during which changes were missed', async () => {
  const rows = await loaded(before);
  rows.watch(before.id, () => {});

  await rows.load(async () => {
    rows.noteGap();
    return { installations: [before] };
  });

  expect(rows.unsureInView()).toEqual([before.id]);
});

it('drops the rows of lists that are gone, except those in view', async () => {
  const seen = installationFixture();
  const rows = await loaded(before, seen, brokenFixture({ id: 'listed' }));
  rows.watch(seen.id, () => {});

  rows.keepOnly(new Set(['listed']));

  expect(rows.get(before.id)).toBeUndefined();
  expect(rows.get(seen.id)).toBeDefined();
  expect(rows.get('listed')).toBeDefined();
});

/** Runs: one of each action at a time, worked on by one process, continued by another. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { RunAction } from '@dowel/admin-api';
import { Secret } from '@dowel/schema';
import type { ClaimedRun, NewRun, RunProgress } from '../operators/run-store.ts';
import type { Store } from '../store.ts';
import { check, minute } from './check.ts';

const leaseMs = 30_000;

const ofNoAccount = { accountRevision: null, ids: ['a', 'b'] };

function newRun(action: RunAction, changes: Partial<NewRun> = {}): NewRun {
  const actor = { who: 'ada', role: 'operator', way: 'page', from: '192.0.2.7' } as const;
  return { id: randomUUID(), action, reason: 'scope is back', actor, ...ofNoAccount, ...changes };
}

const progress = (position: number, changes: Partial<RunProgress> = {}): RunProgress => ({
  position,
  done: position,
  unchanged: 0,
  refused: 0,
  failed: 0,
  refusals: {},
  ...changes,
});

async function mustClaim(store: Store, id: string): Promise<ClaimedRun> {
  const claimed = await store.runs.claim(leaseMs, id);
  assert.ok(claimed, 'the run is claimed');
  return claimed;
}

/** Ends what a check began, so that the next one may begin a run of the same action. */
async function finish(store: Store, claimed: ClaimedRun): Promise<void> {
  assert.equal(await store.runs.end(claimed, progress(claimed.total)), true);
}

export const runChecks = [
  check(
    'of several runs of one action that begin at once, one begins, in any process',
    async (c) => {
      const runs = Array.from({ length: 6 }, () => newRun('pause'));
      const begun = await Promise.all(
        runs.map((run, index) => (index % 2 ? c.store : c.other).runs.begin(run)),
      );
      assert.equal(begun.filter(Boolean).length, 1);
      const other = newRun('resume');
      assert.equal(await c.store.runs.begin(other), true);

      const { id = '' } = runs[begun.indexOf(true)] ?? {};
      for (const each of [id, other.id]) await finish(c.store, await mustClaim(c.store, each));
      const next = newRun('pause');
      assert.equal(await c.other.runs.begin(next), true);
      await finish(c.store, await mustClaim(c.store, next.id));
    },
  ),

  check('a run is claimed by one process, with who began it', async (c) => {
    const run = newRun('ask');
    await c.store.runs.begin(run);
    const stores = [c.store, c.other, c.store, c.other];
    const claims = await Promise.all(stores.map((store) => store.runs.claim(leaseMs, run.id)));
    const [claimed, ...others] = claims.filter((each) => each !== undefined);
    assert.ok(claimed);
    assert.equal(others.length, 0);
    assert.deepEqual(claimed.actor, run.actor);
    assert.equal(claimed.total, 2);
    assert.equal(claimed.position, 0);
    await finish(c.store, claimed);
    assert.equal(await c.store.runs.claim(leaseMs, run.id), undefined);
  }),

  check(
    'another process goes on where a run was last reported, and the first one loses it',
    async (c) => {
      const run = newRun('refresh', { ids: ['a', 'b', 'c'] });
      await c.store.runs.begin(run);
      const first = await mustClaim(c.store, run.id);
      const counts = { done: 1, refused: 1, refusals: { paused: 1 } } as const;
      assert.equal(await c.store.runs.report(first, progress(2, counts), leaseMs), 'running');
      assert.equal(await c.other.runs.claim(leaseMs), undefined);

      await c.shiftClock(leaseMs + 1);
      const second = await c.other.runs.claim(leaseMs);
      assert.equal(second?.id, run.id);
      assert.equal(second.position, 2);
      assert.equal(second.done, 1);
      assert.deepEqual(second.refusals, { paused: 1 });
      assert.equal(await c.store.runs.report(first, progress(3), leaseMs), undefined);
      assert.equal(await c.store.runs.end(first, progress(3)), false);
      await finish(c.other, second);
      await c.shiftClock(-leaseMs - 1);
    },
  ),

  check('a run that is given back can be claimed at once', async (c) => {
    const run = newRun('refresh');
    await c.store.runs.begin(run);
    const first = await mustClaim(c.store, run.id);
    await c.store.runs.report(first, progress(1), 0);
    const second = await mustClaim(c.other, run.id);
    assert.equal(second.position, 1);
    await finish(c.other, second);
  }),

  check('any process can ask a run to stop, and its next report returns that', async (c) => {
    const run = newRun('refresh');
    await c.store.runs.begin(run);
    const claimed = await mustClaim(c.store, run.id);
    assert.equal(await c.other.runs.requestStop(run.id), true);
    assert.equal(await c.other.runs.requestStop(run.id), false);
    assert.equal((await c.other.runs.find(run.id))?.state, 'stopping');
    assert.equal(await c.store.runs.report(claimed, progress(1), leaseMs), 'stopping');
    assert.equal(await c.store.runs.end(claimed, progress(1)), true);

    const ended = await c.other.runs.find(run.id);
    assert.equal(ended?.state, 'stopped');
    assert.equal(ended.done, 1);
    assert.ok(ended.endedAt !== null);
    assert.equal(await c.other.runs.requestStop(run.id), false);
  }),

  check('a run stops when the account that began it changes or is removed', async (c) => {
    const { accounts, runs } = c.store;
    const changes: ((name: string) => Promise<boolean>)[] = [
      (name) => accounts.changeRole(name, 'viewer'),
      (name) => accounts.changePassword(name, new Secret('another')),
      (name) => accounts.removeAccount(name),
    ];
    for (const [index, change] of changes.entries()) {
      const name = `runner.${index}`;
      await accounts.addAccount({ name, role: 'operator', createdAt: 1 });
      const { revision = null } = (await accounts.findAccount(name)) ?? {};
      const run = newRun('refresh', { accountRevision: revision });
      await runs.begin(run);
      const claimed = await mustClaim(c.other, run.id);
      assert.equal(await c.other.runs.report(claimed, progress(0), leaseMs), 'running');

      assert.equal(await change(name), true);

      assert.equal(await c.other.runs.report(claimed, progress(1), leaseMs), 'stopping');
      assert.equal((await runs.find(run.id))?.state, 'stopping');
      assert.equal(await c.other.runs.end(claimed, progress(1)), true);
      assert.equal((await runs.find(run.id))?.state, 'stopped');
    }
  }),

  check('the installations of a run come in their order, in pieces of any size', async (c) => {
    const ids = Array.from({ length: 1_203 }, () => randomUUID());
    const run = newRun('refresh', { ids });
    await c.store.runs.begin(run);
    for (const size of [7, 500, 1_000]) {
      const read: string[] = [];
      for (let more = true; more; ) {
        const next = await c.other.runs.listIds(run.id, read.length, size);
        read.push(...next);
        more = next.length === size;
      }
      assert.deepEqual(read, ids);
    }
    await finish(c.store, await mustClaim(c.store, run.id));
  }),

  check('a run whose beginning is cut off does nothing, and is soon over', async (c) => {
    const cut = [...Array.from({ length: 600 }, () => randomUUID()), 1n] as unknown as string[];
    const run = newRun('refresh', { ids: cut });
    await assert.rejects(c.store.runs.begin(run), TypeError);
    assert.equal(await c.other.runs.claim(leaseMs, run.id), undefined);

    await c.shiftClock(minute + 1);
    const claimed = await mustClaim(c.other, run.id);
    assert.equal(await c.other.runs.report(claimed, progress(0), leaseMs), 'stopping');
    assert.equal(await c.other.runs.end(claimed, progress(0)), true);
    assert.equal((await c.store.runs.find(run.id))?.state, 'stopped');
    await c.shiftClock(-minute - 1);
  }),

  check('a run that is stopped while it begins does nothing', async (c) => {
    const ids = Array.from({ length: 5_000 }, () => randomUUID());
    const run = newRun('refresh', { ids });
    const begun = c.store.runs.begin(run);
    while (!(await c.other.runs.find(run.id))) await c.other.runs.list();

    assert.equal(await c.other.runs.requestStop(run.id), true);

    assert.equal(await begun, true);
    assert.equal((await c.other.runs.find(run.id))?.state, 'stopping');
    const claimed = await mustClaim(c.store, run.id);
    assert.equal(await c.store.runs.report(claimed, progress(0), leaseMs), 'stopping');
    assert.equal(await c.store.runs.end(claimed, progress(0)), true);
    assert.equal((await c.other.runs.find(run.id))?.state, 'stopped');
  }),

  check('runs are listed while they go on, and for a day after their end', async (c) => {
    const run = newRun('acknowledge');
    await c.store.runs.begin(run);
    const listed = async () => (await c.other.runs.list()).map(({ id }) => id);
    assert.ok((await listed()).includes(run.id));
    await finish(c.store, await mustClaim(c.store, run.id));
    assert.ok((await listed()).includes(run.id));
    await c.shiftClock(25 * 60 * minute);
    assert.ok(!(await listed()).includes(run.id));
    await c.shiftClock(-25 * 60 * minute);
    assert.equal(await c.store.runs.find('nobody'), undefined);
  }),
];

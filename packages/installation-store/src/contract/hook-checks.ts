/** The outbox: order, leases, fences and replays of hook deliveries. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { ClaimedHook, HookClaim, HookEvent } from '../hook-store.ts';
import type { Installation, Store } from '../store.ts';
import { begin, check, minute, newKey, uninstall } from './check.ts';

const leaseMs = 45_000;

const claimOf = (changes: Partial<HookClaim> = {}): HookClaim => ({
  owner: 'one',
  limit: 100,
  leaseMs,
  except: [],
  handles: () => true,
  ...changes,
});

function append(
  store: Store,
  { id, generation }: Installation,
  event: HookEvent = 'installed',
  data = {},
) {
  return store.hooks.append({ installationId: id, generation, event, data });
}

/** The claim of one installation. The checks share a database, so others may be due as well. */
async function claimFor(
  store: Store,
  { id }: Installation,
  changes?: Partial<HookClaim>,
): Promise<ClaimedHook | undefined> {
  const { claimed } = await store.hooks.claim(claimOf(changes));
  for (const other of claimed.filter(({ installationId }) => installationId !== id)) {
    await store.hooks.settle(other, { state: 'delivered' });
  }
  return claimed.find(({ installationId }) => installationId === id);
}

async function mustClaim(
  store: Store,
  installation: Installation,
  changes?: Partial<HookClaim>,
): Promise<ClaimedHook> {
  const claimed = await claimFor(store, installation, changes);
  assert.ok(claimed, 'a delivery is claimed');
  return claimed;
}

const delivered = { state: 'delivered' } as const;
const failed = (retryInMs: number) => ({ state: 'failed', error: 'no', retryInMs }) as const;
const parked = { state: 'parked', error: 'broken\u0007 for good' } as const;

async function parkedOf(store: Store, { id }: Installation) {
  return store.hooks.listParked({ installationId: id, limit: 10 });
}

export const hookChecks = [
  check(
    'deliveries are claimed one at a time, in the order of their writing',
    async ({ store, other }) => {
      const installation = await begin(store, newKey());
      const first = await append(store, installation, 'installed', { grantedScopes: ['a'] });
      const second = await append(other, installation, 'instanceAdded', { instanceId: 'i' });
      assert.deepEqual([first.sequence, second.sequence], [1, 2]);

      const claimed = await mustClaim(other, installation);
      assert.equal(claimed.id, first.id);
      assert.deepEqual(claimed.data, { grantedScopes: ['a'] });
      assert.equal(claimed.attempts, 1);
      assert.equal(claimed.isReplay, false);
      assert.equal(claimed.installation.tenantId, installation.tenantId);
      assert.equal(await claimFor(store, installation), undefined);

      assert.equal(await other.hooks.settle(claimed, delivered), true);
      assert.equal((await mustClaim(store, installation)).id, second.id);
    },
  ),

  check('a delivery exists exactly if its transaction was committed', async ({ store }) => {
    const installation = await begin(store);
    const { id: installationId, generation } = installation;
    const undone = store.transaction(async ({ hooks }) => {
      await hooks.append({ installationId, generation, event: 'installed', data: {} });
      throw new Error('undone');
    });
    await assert.rejects(undone, /undone/);

    assert.equal(await claimFor(store, installation), undefined);
    assert.equal((await append(store, installation)).sequence, 1);
  }),

  check(
    'the order is that of the commits, also if transactions overlap',
    async ({ store, other }) => {
      const installation = await begin(store);
      const { id: installationId, generation } = installation;
      const entry = { installationId, generation, event: 'instanceAdded' as const };
      let first: Promise<unknown> = Promise.resolve();
      await store.transaction(async ({ hooks }) => {
        await hooks.append({ ...entry, data: { instanceId: 'committed first' } });
        // Waits for the lock until this transaction is committed.
        first = other.hooks.append({ ...entry, data: { instanceId: 'committed last' } });
        first.catch(() => {});
      });
      await first;

      const one = await mustClaim(store, installation);
      assert.deepEqual(one.data, { instanceId: 'committed first' });
      await store.hooks.settle(one, delivered);
      const two = await mustClaim(store, installation);
      assert.deepEqual(two.data, { instanceId: 'committed last' });
    },
  ),

  check('two workers never claim the same installation', async ({ store, other }) => {
    const installations = await Promise.all(Array.from({ length: 8 }, () => begin(store)));
    for (const each of installations) await append(store, each);

    const claims = await Promise.all(
      [store, other, store, other].map(({ hooks }, index) =>
        hooks.claim(claimOf({ owner: String(index), limit: 5 })),
      ),
    );

    const ids = claims.flatMap(({ claimed }) => claimed.map((each) => each.installationId));
    assert.equal(new Set(ids).size, ids.length);
    for (const { claimed } of claims) {
      for (const each of claimed) await store.hooks.settle(each, delivered);
    }
  }),

  check(
    'after a crash the delivery is due again when its lease ends, and the attempt counts',
    async ({ store, other, shiftClock }) => {
      const installation = await begin(store);
      const { id } = await append(store, installation);
      await append(store, installation, 'tokensReceived');
      await mustClaim(store, installation);

      assert.equal(await claimFor(other, installation), undefined);
      await shiftClock(leaseMs);
      const again = await mustClaim(other, installation);
      assert.equal(again.id, id);
      assert.equal(again.attempts, 2);
    },
  ),

  check(
    'a worker whose lease has ended changes nothing when it settles',
    async ({ store, other, shiftClock }) => {
      const installation = await begin(store);
      await append(store, installation);
      const late = await mustClaim(store, installation);
      await shiftClock(leaseMs);
      const current = await mustClaim(other, installation, { owner: 'two' });

      for (const outcome of [delivered, failed(0), parked]) {
        assert.equal(await store.hooks.settle(late, outcome), false);
      }
      assert.equal(await claimFor(store, installation), undefined);
      assert.equal(await other.hooks.settle(current, delivered), true);
      assert.equal(await other.hooks.settle(current, failed(0)), false);
      assert.equal(await claimFor(store, installation), undefined);
    },
  ),

  check(
    'while a delivery waits for its next attempt, its stream waits',
    async ({ store, shiftClock }) => {
      const installation = await begin(store);
      const { id } = await append(store, installation);
      await append(store, installation, 'tokensReceived');
      await store.hooks.settle(await mustClaim(store, installation), failed(minute));

      assert.equal(await claimFor(store, installation), undefined);
      await append(store, installation, 'instanceAdded');
      assert.equal(await claimFor(store, installation), undefined);
      await shiftClock(minute);
      assert.equal((await mustClaim(store, installation)).id, id);
    },
  ),

  check('a parked delivery holds nothing up, and keeps its printable error', async ({ store }) => {
    const installation = await begin(store);
    const { id } = await append(store, installation);
    const next = await append(store, installation, 'tokensReceived');
    await store.hooks.settle(await mustClaim(store, installation), parked);

    assert.equal((await mustClaim(store, installation)).id, next.id);
    const [found] = await parkedOf(store, installation);
    assert.equal(found?.id, id);
    assert.equal(found?.lastError, 'broken\\u0007 for good');
  }),

  check('the list of parked deliveries has pages', async ({ store }) => {
    const installation = await begin(store);
    for (let index = 0; index < 3; index += 1) {
      await append(store, installation);
      await store.hooks.settle(await mustClaim(store, installation), parked);
    }
    const query = { installationId: installation.id, limit: 2 };
    const first = await store.hooks.listParked(query);
    const second = await store.hooks.listParked({ ...query, after: first.at(-1)?.id });

    assert.equal(new Set([...first, ...second].map(({ id }) => id)).size, 3);
    assert.equal(second.length, 1);
    await assert.rejects(store.hooks.listParked({ ...query, after: 'no id' }), TypeError);
  }),

  check(
    'a replay is delivered again with its id and without attempts',
    async ({ store, other }) => {
      const installation = await begin(store);
      const { id, sequence } = await append(store, installation);
      await store.hooks.settle(await mustClaim(store, installation), parked);

      assert.equal(await other.hooks.replay(id), 'queued');
      assert.equal(await other.hooks.replay(id), 'unknown');
      const again = await mustClaim(store, installation);
      assert.deepEqual(
        {
          id: again.id,
          sequence: again.sequence,
          attempts: again.attempts,
          isReplay: again.isReplay,
        },
        { id, sequence, attempts: 1, isReplay: true },
      );
      await store.hooks.settle(again, delivered);
      assert.equal(await store.hooks.replay(id), 'unknown');
      assert.equal(await store.hooks.replay(randomUUID()), 'unknown');
    },
  ),

  check('a replay during a later delivery of its stream runs next', async ({ store, other }) => {
    const installation = await begin(store);
    const { id } = await append(store, installation);
    await store.hooks.settle(await mustClaim(store, installation), parked);
    await append(store, installation, 'tokensReceived');
    const last = await append(store, installation, 'instanceAdded');
    const running = await mustClaim(store, installation);

    assert.equal(await other.hooks.replay(id), 'queued');
    assert.equal(await claimFor(other, installation), undefined);
    await store.hooks.settle(running, delivered);
    const replayed = await mustClaim(store, installation);
    assert.equal(replayed.id, id);
    await store.hooks.settle(replayed, delivered);
    assert.equal((await mustClaim(store, installation)).id, last.id);
  }),

  check(
    'a replay after the end of its life is superseded, except for the uninstall',
    async ({ store }) => {
      const installation = await begin(store);
      const { id } = await append(store, installation);
      await store.hooks.settle(await mustClaim(store, installation), parked);
      const ended = await append(store, installation, 'uninstalled');
      await store.hooks.settle(await mustClaim(store, installation), parked);
      await uninstall(store, installation, 2);

      assert.equal(await store.hooks.replay(id), 'superseded');
      assert.equal(await store.hooks.replay(id), 'superseded');
      assert.equal(await claimFor(store, installation), undefined);
      assert.equal(await store.hooks.replay(ended.id), 'queued');
      assert.equal((await mustClaim(store, installation)).id, ended.id);
    },
  ),

  check('the delivery of an uninstall supersedes what is parked of its life', async ({ store }) => {
    const installation = await begin(store);
    const { id } = await append(store, installation);
    await store.hooks.settle(await mustClaim(store, installation), parked);
    await append(store, installation, 'uninstalled');
    await store.hooks.settle(await mustClaim(store, installation), delivered);

    assert.deepEqual(await parkedOf(store, installation), []);
    assert.equal(await store.hooks.replay(id), 'superseded');
  }),

  check(
    'without a hook in this process, a delivery is left to others, uncounted',
    async ({ store, other, shiftClock }) => {
      const installation = await begin(store);
      const { id } = await append(store, installation);
      const handles = () => false;

      assert.equal(await claimFor(store, installation, { handles }), undefined);
      assert.equal(await claimFor(other, installation), undefined);
      await shiftClock(30_000);
      const claimed = await mustClaim(other, installation);
      assert.equal(claimed.id, id);
      assert.equal(claimed.attempts, 1);
    },
  ),

  check(
    'a delivery without a hook in any process is parked after an hour, with later ones of its kind',
    async ({ store, shiftClock }) => {
      const installation = await begin(store);
      const { id } = await append(store, installation, 'broken');
      const next = await append(store, installation, 'recovered');
      const { id: later } = await append(store, installation, 'broken');
      const ids = [id, later];
      const handles = (_plugin: string, event: HookEvent) => event !== 'broken';
      assert.equal(await claimFor(store, installation, { handles }), undefined);

      await shiftClock(60 * minute);
      const { unhandled, claimed } = await store.hooks.claim(claimOf({ handles }));
      for (const each of claimed) await store.hooks.settle(each, delivered);
      assert.deepEqual(
        unhandled.filter((each) => ids.includes(each.id)).map(({ lastError }) => lastError),
        ['no_handler', 'no_handler'],
      );
      const last = await mustClaim(store, installation, { handles });
      assert.equal(last.id, next.id);
      await store.hooks.settle(last, delivered);
      assert.equal(await claimFor(store, installation), undefined);
      assert.deepEqual(
        (await parkedOf(store, installation)).map((each) => each.id),
        ids,
      );
    },
  ),

  check(
    'the time until the next delivery is known, without those that are excepted',
    async ({ store }) => {
      const installation = await begin(store);
      await append(store, installation);
      assert.equal(await store.hooks.findDueInMs([]), 0);
      assert.equal(await claimFor(store, installation, { except: [installation.id] }), undefined);

      await store.hooks.settle(await mustClaim(store, installation), failed(minute));
      const dueInMs = await store.hooks.findDueInMs([]);
      assert.ok(dueInMs !== undefined && dueInMs > 0);
    },
  ),

  check('the facts of a delivery have at most 4 KB', async ({ store }) => {
    const installation = await begin(store);
    const large = { instanceId: 'x'.repeat(4_100) };
    await assert.rejects(append(store, installation, 'instanceAdded', large), TypeError);
  }),

  check('about two hundred deliveries of an installation are kept', async ({ store, dump }) => {
    const installation = await begin(store);
    for (let index = 0; index < 300; index += 1) await append(store, installation);
    for (let index = 0; index < 300; index += 1) {
      const claimed = await mustClaim(store, installation);
      assert.equal(claimed.sequence, index + 1);
      await store.hooks.settle(claimed, delivered);
    }
    const rows = await dump();
    const row = `"installation_id":"${installation.id}","sequence":`;
    assert.equal(rows.split(row).length - 1, 200);
  }),

  check(
    'a clock that was set back does not hold a delivery up for long',
    async ({ store, shiftClock }) => {
      const installation = await begin(store);
      await append(store, installation);
      await shiftClock(-5 * 60 * minute);
      try {
        await store.maintain({ now: Date.now(), historyDays: 30 });
        assert.ok(await claimFor(store, installation));
      } finally {
        await shiftClock(5 * 60 * minute);
      }
    },
  ),

  check(
    'one process takes the turn of work that has a name',
    async ({ store, other, shiftClock }) => {
      const name = randomUUID();
      const taken = await Promise.all(
        [store, other, store].map((each) => each.takeTurn(name, minute)),
      );
      assert.deepEqual(taken.filter(Boolean), [true]);
      assert.equal(await other.takeTurn(name, minute), false);
      await shiftClock(minute);
      assert.equal(await other.takeTurn(name, minute), true);
      await assert.rejects(store.takeTurn(name, 0), TypeError);
    },
  ),
];

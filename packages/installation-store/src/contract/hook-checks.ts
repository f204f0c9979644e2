/** The outbox: order, leases and fences of hook deliveries. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { begin, check, minute, newKey, uninstall } from './check.ts';
import {
  append,
  claimFor,
  claimOf,
  delivered,
  failed,
  leaseMs,
  mustClaim,
  parked,
} from './hook-steps.ts';

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
    'S06: the order is that of the commits, also if transactions overlap',
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

  check(
    'an uninstall that is delivered late says whether the installation lives again, with the id of its own life',
    async ({ store, other }) => {
      const first = await begin(store, newKey(), 1);
      await append(store, first, 'uninstalled');
      const signals: [string, string, boolean][] = [];
      const readSignal = async (when: string) => {
        const claimed = await mustClaim(other, first);
        signals.push([when, claimed.installation.lifeId, claimed.isReinstalled]);
        await store.hooks.settle(claimed, failed(0));
      };
      const beginAgain = (iat: number, awaitsAdmission: boolean) =>
        store.transaction(({ installations }) =>
          installations.begin(first, iat, iat, { awaitsAdmission }),
        );

      await readSignal('before its end');
      await uninstall(store, first, 2);
      await readSignal('ended');
      const second = await beginAgain(3, true);
      await readSignal('asked about');
      await store.usability.admit(second.id, second.generation);
      await readSignal('lives again');
      await uninstall(store, first, 4);
      await readSignal('ended again');

      assert.deepEqual(
        signals,
        [
          ['before its end', false],
          ['ended', false],
          ['asked about', false],
          ['lives again', true],
          ['ended again', false],
        ].map(([when, is]) => [when, first.lifeId, is]),
      );
      assert.notEqual(second.lifeId, first.lifeId);
    },
  ),

  check(
    'a removal that is delivered late says whether its instance is placed again',
    async ({ store, other }) => {
      const installation = await begin(store);
      const { id } = installation;
      const facts = { instanceId: 'i' };
      await store.installations.removeInstance(id, 'i', 1);
      await store.installations.addInstance(id, 'other', 1);
      await append(store, installation, 'instanceRemoved', facts);
      await append(store, installation, 'instanceAdded', facts);

      const removed = await mustClaim(other, installation);
      assert.equal(removed.isPlacedAgain, false);
      await store.hooks.settle(removed, failed(0));
      await store.installations.addInstance(id, 'i', 2);
      const late = await mustClaim(other, installation);
      assert.deepEqual([late.isPlacedAgain, late.isReinstalled], [true, false]);
      await store.hooks.settle(late, delivered);
      assert.equal((await mustClaim(store, installation)).isPlacedAgain, undefined);
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

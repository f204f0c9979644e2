/** Deliveries that no process could handle: parked, listed and replayed. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { ParkedHookEntry } from '@dowel/admin-api';
import type { HookEvent } from '../sql/tables.ts';
import type { Store } from '../store.ts';
import { begin, check, minute, uninstall } from './check.ts';
import { append, claimFor, claimOf, delivered, mustClaim, parked, parkedOf } from './hook-steps.ts';

async function readParkedPages({ reports }: Store, limit: number) {
  const pages: ParkedHookEntry[][] = [];
  let after: string | undefined;
  do {
    const { deliveries, next } = await reports.listParkedHooks({ limit, after });
    pages.push(deliveries);
    after = next ?? undefined;
  } while (after !== undefined);
  return pages;
}

export const parkedHookChecks = [
  check(
    'a parked delivery does not delay others, and keeps its printable error',
    async ({ store }) => {
      const installation = await begin(store);
      const { id } = await append(store, installation);
      const next = await append(store, installation, 'tokensReceived');
      await store.hooks.settle(await mustClaim(store, installation), parked);

      assert.equal((await mustClaim(store, installation)).id, next.id);
      const [found] = await parkedOf(store, installation);
      assert.equal(found?.id, id);
      assert.equal(found?.lastError, 'broken\\u0007 for good');
    },
  ),

  check(
    'of a long error 500 characters are kept, also with signs that need two',
    async ({ store }) => {
      const installation = await begin(store);
      const errors = ['x'.repeat(2_000), `${'x'.repeat(499)}\u{1f4a5}`, '\u0007'.repeat(2_000)];
      for (const error of errors) {
        await append(store, installation);
        await store.hooks.settle(await mustClaim(store, installation), { state: 'parked', error });
      }

      const kept = (await parkedOf(store, installation)).map(({ lastError }) => lastError);
      assert.deepEqual(
        new Set(kept),
        new Set(['x'.repeat(500), `${'x'.repeat(499)}\\`, `${'\\u0007'.repeat(83)}\\u`]),
      );
    },
  ),

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
    'the parked deliveries of all installations have pages, the latest first, and are counted',
    async ({ store, other }) => {
      const before = (await other.reports.countFleet(0)).parkedHooks;
      const installations = [await begin(store), await begin(store)];
      for (const installation of [...installations, ...installations]) {
        await append(store, installation);
        await store.hooks.settle(await mustClaim(store, installation), parked);
      }
      const pages = await readParkedPages(other, 3);

      const ids = pages.flat().map(({ id }) => id);
      assert.equal(new Set(ids).size, ids.length);
      assert.equal(ids.length, before + 4);
      const times = pages.flat().map(({ parkedAt }) => parkedAt);
      assert.deepEqual(
        times,
        times.toSorted((one, next) => next - one),
      );
      assert.equal((await other.reports.countFleet(0)).parkedHooks, before + 4);
      const [installation] = installations;
      const own = pages.flat().filter((each) => each.installation.id === installation?.id);
      const facts = await other.reports.describe(installation?.id ?? '');
      assert.equal(facts?.hooksParkedSince, own.at(-1)?.parkedAt);
      const { occurredAt: _, parkedAt: __, ...entry } = own[1] ?? {};
      assert.deepEqual(entry, {
        id: `${installation?.id}-1`,
        installation: {
          id: installation?.id,
          name: '',
          host: 'acme.example.com',
          tenantId: installation?.tenantId,
          pluginId: installation?.pluginId,
        },
        hook: 'installed',
        attempts: 1,
        replays: 0,
        lastError: 'broken\\u0007 for good',
      });
      await assert.rejects(other.reports.listParkedHooks({ limit: 2, after: 'no cursor' }), {
        code: 'CURSOR_INVALID',
      });
    },
  ),

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
    'a replay after the end of its life is superseded, except for the uninstall, which says that the next life lives',
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
      const again = await begin(store, installation, 3);
      const replayed = await mustClaim(store, installation);
      assert.deepEqual([replayed.id, replayed.isReinstalled], [ended.id, true]);
      assert.deepEqual([installation.generation, again.generation], [1, 2]);
      assert.equal(replayed.installation.lifeId, installation.lifeId);
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
];

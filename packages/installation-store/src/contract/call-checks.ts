/** What the calls of processes make of an installation: since when, why and in how many processes they fail. */
import assert from 'node:assert/strict';
import type { Store } from '../store.ts';
import type { CallReport } from '../stores/call-store.ts';
import type { Installation } from '../stores/find-installation.ts';
import { assertOutcome, check, granted, replace, request, uninstall } from './check.ts';

type Failing = NonNullable<CallReport['failing']>;

const fails = (
  store: Store,
  { id: installationId }: Installation,
  process: string,
  failing: Partial<Failing> = {},
) =>
  store.calls.record(process, [
    {
      installationId,
      lastSuccessMs: null,
      failing: {
        sinceMs: 5_000,
        lastMs: 0,
        failures: 3,
        reason: 'platform_5xx',
        status: 503,
        ...failing,
      },
    },
  ]);

const succeeds = (store: Store, { id: installationId }: Installation, process: string) =>
  store.calls.record(process, [{ installationId, lastSuccessMs: 0, failing: null }]);

async function rowOf(store: Store, { id }: Installation) {
  const detail = await store.reports.describe(id);
  assert.ok(detail, 'the installation is listed');
  return { ...detail.installation, outages: detail.outages };
}

export const callChecks = [
  check('calls that fail break an installation until one succeeds', async ({ store, other }) => {
    const { installation } = await granted<Installation>(store);

    assert.deepEqual(await fails(store, installation, 'one'), [installation.id]);

    const broken = await rowOf(other, installation);
    assert.deepEqual([broken.condition, broken.cause], ['calls_failing', 'platform_5xx']);
    assert.equal(broken.accessEndsAt, broken.calls?.failingSince);
    const { failing, processes, failures, status } = broken.calls ?? {};
    assert.deepEqual([failing, processes, failures, status], [1, 1, 3, 503]);
    assert.deepEqual(await other.calls.listAwaited([installation.id]), [installation.id]);
    assert.equal(broken.outages[0]?.endedAt, null);

    assert.deepEqual(await succeeds(store, installation, 'one'), []);

    const healthy = await rowOf(other, installation);
    assert.deepEqual([healthy.condition, healthy.cause, healthy.calls], ['healthy', null, null]);
    assert.equal(healthy.outages[0]?.endedBy, 'call');
    assert.deepEqual(await other.calls.listAwaited([installation.id]), []);
  }),

  check('the newest failure says why, and the first since when', async ({ store }) => {
    const { installation } = await granted<Installation>(store);
    await fails(store, installation, 'one', { sinceMs: 50_000, lastMs: 40_000 });
    const { accessEndsAt } = await rowOf(store, installation);
    await fails(store, installation, 'two', { reason: 'timed_out', status: null });

    const row = await rowOf(store, installation);
    assert.deepEqual([row.cause, row.accessEndsAt], ['timed_out', accessEndsAt]);
    assert.deepEqual([row.calls?.failing, row.calls?.failures], [2, 6]);
  }),

  check('one process does not hide another one in which calls fail', async ({ store, other }) => {
    const { installation } = await granted<Installation>(store);
    await fails(store, installation, 'one');

    assert.deepEqual(await succeeds(other, installation, 'two'), [installation.id]);

    const { condition, calls } = await rowOf(store, installation);
    assert.equal(condition, 'calls_failing');
    assert.deepEqual([calls?.failing, calls?.processes], [1, 2]);
    assert.notEqual(calls?.lastSuccessAt, null);
  }),

  check('a later success outweighs a process that may have ended', async ({ store, other }) => {
    const { installation } = await granted<Installation>(store);
    await fails(store, installation, 'one', { sinceMs: 70_000, lastMs: 65_000 });

    assert.deepEqual(await succeeds(other, installation, 'two'), []);

    assert.equal((await rowOf(store, installation)).condition, 'healthy');
  }),

  check(
    'an installation stays broken when its process ends, until any call succeeds',
    async ({ store, other }) => {
      const { installation } = await granted<Installation>(store);
      await fails(store, installation, 'ending', { reason: 'platform_unreachable', status: null });
      const before = await rowOf(store, installation);

      await store.calls.leave('ending');
      await replace(store, installation, 'b', 2);
      await store.events.recordEvent({
        installationId: installation.id,
        event: 'access_token',
        receivedAt: 7,
        durationMs: 1,
        status: 402,
        reason: 'scope_missing',
      });

      const after = await rowOf(store, installation);
      assert.deepEqual(after.calls, null);
      assert.deepEqual(
        [after.condition, after.cause, after.accessEndsAt],
        ['calls_failing', 'platform_unreachable', before.accessEndsAt],
      );
      assert.deepEqual(await succeeds(other, installation, 'next'), []);
      assert.equal((await rowOf(store, installation)).condition, 'healthy');
    },
  ),

  check('a pause hides calls that fail, and ends nothing', async ({ store }) => {
    const { installation } = await granted<Installation>(store);
    await fails(store, installation, 'one');
    await store.operators.pause(installation.id, { by: 'ada', reason: 'They migrate' });
    assert.equal((await rowOf(store, installation)).condition, 'paused');

    await store.operators.resume(installation.id);

    assert.equal((await rowOf(store, installation)).condition, 'calls_failing');
  }),

  check('new tokens do not help calls that the platform refuses', async ({ store }) => {
    const { installation } = await granted<Installation>(store);
    await fails(store, installation, 'one', { reason: 'token_refused', status: 401 });
    await replace(store, installation, 'b', 2);

    const refused = await rowOf(store, installation);
    assert.deepEqual([refused.condition, refused.cause], ['calls_failing', 'token_refused']);

    await fails(store, installation, 'one', { reason: 'no_token', status: null });
    await replace(store, installation, 'c', 3);
    assert.equal((await rowOf(store, installation)).condition, 'healthy');
  }),

  check('without a token, the refresh says why calls fail', async ({ store }) => {
    const { installation, grant } = await granted<Installation>(store);
    const { lease } = assertOutcome(await store.renewals.acquire(grant, request()), 'acquired');
    const failed = { mayBeSpent: false, mayArrive: false, retryInMs: 0 };
    await store.renewals.release(lease, { ...failed, reason: 'server_error' });
    await succeeds(store, installation, 'one');
    const failing = await rowOf(store, installation);
    assert.equal(failing.condition, 'failing');
    assert.notEqual(failing.calls?.lastSuccessAt, null);

    await fails(store, installation, 'one', { reason: 'no_token', status: null });

    const broken = await rowOf(store, installation);
    assert.deepEqual([broken.condition, broken.cause], ['calls_failing', 'server_error']);
    assert.equal(broken.outages.length, 1);
  }),

  check('an installation that has ended keeps no evidence', async ({ store }) => {
    const { installation } = await granted<Installation>(store);
    await fails(store, installation, 'one');
    await uninstall(store, installation, 20);
    await fails(store, installation, 'one');

    const { condition, calls } = await rowOf(store, installation);
    assert.deepEqual([condition, calls], ['uninstalled', null]);
  }),
];

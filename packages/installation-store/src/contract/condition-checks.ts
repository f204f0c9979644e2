/** What the dashboard counts, and since when: the condition of an installation, its cause and its outages. */
import assert from 'node:assert/strict';
import type { Store } from '../store.ts';
import type { Installation } from '../stores/find-installation.ts';
import {
  access,
  assertOutcome,
  begin,
  check,
  granted,
  newKey,
  replace,
  request,
  tokens,
  uninstall,
} from './check.ts';

const failed = { mayBeSpent: false, mayArrive: false, retryInMs: 0 };

/** The row of the list, as another process reads it. */
async function rowOf(store: Store, { id }: Pick<Installation, 'id'>) {
  const [row] = await store.reports.readRows([id]);
  assert.ok(row, 'the installation is listed');
  return row;
}

async function outagesOf(store: Store, { id }: Pick<Installation, 'id'>) {
  const detail = await store.reports.describe(id);
  return detail?.outages ?? [];
}

const refuse = (store: Store, { id }: Installation, reason: string) =>
  store.events.recordEvent({
    installationId: id,
    event: 'access_token',
    receivedAt: 7,
    durationMs: 1,
    status: 402,
    reason,
  });

/** How often each condition and cause is counted, without those that nothing has. */
async function counted(store: Store): Promise<Map<string, number>> {
  const counts = await store.reports.countConditions();
  return new Map(counts.map(({ condition, cause, n }) => [`${condition} ${cause}`, n]));
}

const difference = (after: Map<string, number>, before: Map<string, number>, name: string) =>
  (after.get(name) ?? 0) - (before.get(name) ?? 0);

export const conditionChecks = [
  check('an installation that is usable without tokens is healthy', async ({ store, other }) => {
    const before = await counted(store);
    const installation = await begin(store);

    await store.usability.becomeUsable(installation.id, 1);

    const { condition, cause } = await rowOf(other, installation);
    assert.deepEqual([condition, cause], ['healthy', null]);
    const after = await counted(store);
    assert.equal(difference(after, before, 'pending null'), 0);
    assert.equal(difference(after, before, 'healthy null'), 1);
    await uninstall(store, installation, 2);
    const next = await begin(store, installation, 3);
    assert.equal((await rowOf(other, next)).condition, 'pending');
  }),

  check('an installation is pending, then healthy', async ({ store, other }) => {
    const before = await counted(store);
    const installation = await begin(store);
    const pending = await rowOf(other, installation);

    await replace(store, installation, 'a');

    const healthy = await rowOf(other, installation);
    assert.deepEqual([pending.condition, pending.cause], ['pending', null]);
    assert.notEqual(pending.accessEndsAt, null);
    assert.deepEqual(
      [healthy.condition, healthy.cause, healthy.accessEndsAt, healthy.tokenExpiresAt],
      ['healthy', null, null, 61_000],
    );
    assert.deepEqual(await outagesOf(store, installation), []);
    const after = await counted(other);
    assert.equal(difference(after, before, 'healthy null'), 1);
    assert.equal(difference(after, before, 'pending null'), 0);
  }),

  check('tokens without a refresh token are expiring', async ({ store }) => {
    const installation = await begin(store);

    const withoutRefresh = { ...tokens('a'), refreshToken: null };
    await store.transaction(({ grants }) =>
      grants.replace(installation, access, withoutRefresh, { iat: 1, newestIat: 6 }),
    );

    assert.equal((await rowOf(store, installation)).condition, 'expiring');
  }),

  check(
    'trouble begins with the first failure, and a later cause keeps that time',
    async (context) => {
      const { store, other } = context;
      const { installation, grant } = await granted(store);
      const first = assertOutcome(await store.renewals.acquire(grant, request()), 'acquired');
      await store.renewals.release(first.lease, { ...failed, reason: 'server_error' });
      const failing = await rowOf(other, installation);
      await context.shiftClock(60_000);

      await store.grants.markAwaitingEvent(grant, 'invalid_grant', 9);

      const awaiting = await rowOf(other, installation);
      assert.deepEqual([failing.condition, failing.cause], ['failing', 'server_error']);
      assert.deepEqual([awaiting.condition, awaiting.cause], ['awaiting', 'invalid_grant']);
      assert.notEqual(failing.accessEndsAt, null);
      assert.equal(awaiting.accessEndsAt, failing.accessEndsAt);
      await context.shiftClock(-60_000);
    },
  ),

  check('a refresh ends the trouble, and leaves one outage', async ({ store, other }) => {
    const before = await counted(store);
    const { installation, grant } = await granted(store);
    const { lease } = assertOutcome(await store.renewals.acquire(grant, request()), 'acquired');
    await store.renewals.release(lease, { ...failed, reason: 'server_error' });

    await store.grants.commitRefresh(grant, tokens('b'));

    const row = await rowOf(other, installation);
    assert.deepEqual([row.condition, row.cause, row.accessEndsAt], ['healthy', null, null]);
    const [outage, ...more] = await outagesOf(other, installation);
    assert.equal(more.length, 0);
    assert.equal(outage?.cause, 'server_error');
    assert.equal(outage?.endedBy, 'refresh');
    assert.ok((outage?.endedAt ?? 0) >= (outage?.beganAt ?? 0));
    const after = await counted(store);
    assert.equal(difference(after, before, 'failing server_error'), 0);
    assert.equal(difference(after, before, 'healthy null'), 1);
  }),

  check('a dead grant keeps the end of its token as the platform named it', async ({ store }) => {
    const { installation, grant } = await granted(store);

    await store.grants.markAwaitingEvent(grant, 'invalid_grant', 9);

    assert.equal((await rowOf(store, installation)).tokenExpiresAt, 61_000);
  }),

  check('a refused event of tokens outranks the reason of the death', async ({ store }) => {
    const { installation, grant } = await granted(store);
    await store.grants.markAwaitingEvent(grant, 'invalid_grant', 9);

    await refuse(store, installation, 'scope_missing');

    const row = await rowOf(store, installation);
    assert.deepEqual([row.condition, row.cause], ['awaiting', 'scope_missing']);
    assert.deepEqual(
      (await outagesOf(store, installation)).map(({ cause, endedAt }) => [cause, endedAt]),
      [['scope_missing', null]],
    );
  }),

  check('a refused event does not break a healthy installation', async ({ store }) => {
    const { installation } = await granted(store);

    await refuse(store, installation, 'scope_missing');

    const row = await rowOf(store, installation);
    assert.deepEqual([row.condition, row.cause], ['healthy', null]);
    assert.deepEqual(row.lastFailure, { reason: 'scope_missing', at: 7 });
  }),

  check(
    'an uninstall after a refused first event is a refused install',
    async ({ store, other }) => {
      const key = newKey();
      const installation = await begin(store, key);
      await refuse(store, installation, 'scope_missing');
      await uninstall(store, key, 2);

      const refused = await rowOf(other, installation);
      await begin(store, key, 9);

      const again = await rowOf(other, installation);
      assert.deepEqual([refused.condition, refused.cause], ['refused', 'scope_missing']);
      assert.notEqual(refused.accessEndsAt, null);
      assert.deepEqual([again.condition, again.cause], ['pending', null]);
      assert.equal((await outagesOf(store, installation))[0]?.endedBy, 'install');
    },
  ),

  check(
    'a refusal that is recorded after the end of its life is a refused install',
    async ({ store }) => {
      const key = newKey();
      const installation = await begin(store, key);
      await uninstall(store, key, 2);

      await refuse(store, installation, 'scope_missing');

      assert.equal((await rowOf(store, installation)).condition, 'refused');
    },
  ),

  check(
    'an install that the plug-in itself refused is uninstalled, not broken',
    async ({ store }) => {
      const key = newKey();
      const installation = await begin(store, key);
      await uninstall(store, key, 2);

      await refuse(store, installation, 'hook_refused');

      const row = await rowOf(store, installation);
      assert.deepEqual([row.condition, row.cause], ['uninstalled', null]);
      assert.deepEqual(row.lastFailure, { reason: 'hook_refused', at: 7 });
      assert.deepEqual(await outagesOf(store, installation), []);
    },
  ),

  check(
    'an uninstall keeps the scopes and their time, and ends an outage',
    async ({ store, other }) => {
      const { installation, grant } = await granted(store);
      await store.grants.markAwaitingEvent(grant, 'invalid_grant', 9);

      await uninstall(store, installation, 20);

      const detail = await other.reports.describe(installation.id);
      assert.equal(detail?.installation.condition, 'uninstalled');
      assert.equal(detail?.installation.accessEndsAt, null);
      assert.deepEqual(detail?.scopes.granted, ['plugin:notify', 'plugin:read']);
      assert.equal(detail?.scopes.at, 1_000);
      assert.notEqual(detail?.scopes.endedAt, null);
      assert.equal(detail?.token, null);
      assert.equal(detail?.outages[0]?.endedBy, 'uninstall');
    },
  ),

  check('a life that an event begins during a pause is counted as paused', async ({ store }) => {
    const before = await counted(store);
    const key = newKey();
    const installation = await begin(store, key, 10);
    await replace(store, installation, 'a', 11);
    const pause = { by: 'a', reason: 'why' };
    await store.transaction(({ operators }) => operators.pause(installation.id, pause));
    await uninstall(store, key, 20);

    assert.equal(await replace(store, installation, 'b', 30), 'stored');

    const row = await rowOf(store, installation);
    assert.deepEqual([row.condition, row.cause, row.accessEndsAt], ['paused', null, null]);
    const after = await counted(store);
    assert.equal(difference(after, before, 'paused null'), 1);
    assert.equal(difference(after, before, 'uninstalled null'), 0);
  }),

  check('an event is noted to the minute', async ({ store }) => {
    const { installation } = await granted(store);
    const at = async (receivedAt: number) => {
      await store.events.recordEvent({
        installationId: installation.id,
        event: 'instance_add',
        receivedAt,
        durationMs: 1,
        status: 200,
        reason: null,
      });
      return (await rowOf(store, installation)).lastEventAt;
    };

    const noted = [await at(100_000), await at(159_999), await at(160_001)];

    assert.deepEqual(noted, [100_000, 100_000, 160_001]);
  }),
];

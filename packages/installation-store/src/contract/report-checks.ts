import assert from 'node:assert/strict';
import type { Store } from '../store.ts';
import type { Installation } from '../stores/find-installation.ts';
import { begin, check, granted } from './check.ts';

const refresh = { operation: 'refresh', startedAt: 3 } as const;
const event = { durationMs: 5, status: 201, reason: null } as const;

const kinds = ['event', 'refresh'] as const;

async function readHistory(store: Store, id: string) {
  const { entries } = await store.reports.listTimeline(id, { limit: 50, kinds });
  return entries.map(({ entry }) => entry);
}

export const reportChecks = [
  check('a walk by ids shows each installation once, whole', async ({ store, other }) => {
    const added = [await begin(store), await begin(store), await begin(store)].map(({ id }) => id);
    const found: Installation[] = [];
    for (let page = await other.installations.listAfter('', 2); page.length > 0; ) {
      found.push(...page);
      page = await other.installations.listAfter(page.at(-1)?.id ?? '', 2);
    }

    const ids = found.map(({ id }) => id);
    assert.deepEqual(ids, [...new Set(ids)].toSorted());
    assert.deepEqual(
      added.filter((id) => !ids.includes(id)),
      [],
    );
    for (const each of found) assert.deepEqual(await store.installations.get(each.id), each);
  }),

  check('a report shows an installation’s tokens by their times', async ({ store, other }) => {
    const { installation } = await granted(store);
    await store.installations.addInstance(installation.id, 'i-1', 1);

    const facts = await other.reports.describe(installation.id);

    const { version, issuedAt, expiresAt, hasRefreshToken } = facts?.token ?? {};
    assert.deepEqual(
      { version, issuedAt, expiresAt },
      { version: 1, issuedAt: 1_000, expiresAt: 61_000 },
    );
    assert.equal(hasRefreshToken, true);
    assert.deepEqual(facts?.scopes.granted, ['plugin:notify', 'plugin:read']);
    assert.deepEqual(facts?.instanceIds, ['i-1']);
    assert.equal(facts?.installation.lastFailure, null);
  }),

  check('no duration is too long for its column, in either direction', async ({ store }) => {
    const { installation } = await granted(store);
    const { id: installationId } = installation;
    for (const durationMs of [2 ** 40, -(2 ** 40)]) {
      await store.events.recordTokenOperation({
        installationId,
        operation: 'refresh',
        startedAt: 3,
        durationMs,
        succeeded: true,
        tokenVersion: 2,
        reason: null,
      });
    }

    assert.deepEqual(
      (await readHistory(store, installationId)).map(
        (entry) => 'durationMs' in entry && entry.durationMs,
      ),
      [-(2 ** 31 - 1), 2 ** 31 - 1],
    );
  }),

  check(
    'the timeline has the signed claims and the answer of an event, and the drift its unknown members',
    async ({ store }) => {
      const { installation } = await granted(store);
      const { id: installationId } = installation;
      const claims = { iat: 1, exp: 61, jti: 'j', instanceId: 'i-1' };
      const unknown = [{ pointer: '/?', type: 'string' }];
      const answer = { code: 400, message: 'The plug-in is not installed' };
      const install = { ...event, installationId, event: 'install' as const };
      const details = [
        { requestId: 'r-1', claims, unknown },
        { requestId: 'r-2', claims, unknown: [...unknown, { pointer: '/a/?', type: 'null' }] },
        { claims, answer },
      ];
      await store.events.recordEvent({ ...install, receivedAt: 1 });
      for (const [index, detail] of details.entries()) {
        await store.events.recordEvent({ ...install, receivedAt: 2 + index, detail });
      }

      const page = { limit: 10, kinds: ['event'] as const };
      const { entries } = await store.reports.listTimeline(installationId, page);
      const facts = await store.reports.describe(installationId);

      assert.deepEqual(
        entries.map(({ entry }) => ('detail' in entry ? entry.detail : undefined)),
        [...details.toReversed(), null],
      );
      assert.deepEqual(facts?.drift, [
        { event: 'install', pointer: '/?', type: 'string', at: 3 },
        { event: 'install', pointer: '/a/?', type: 'null', at: 3 },
      ]);
    },
  ),

  check('a report shows the history of an installation, newest first', async ({ store }) => {
    const { installation } = await granted(store);
    const { id: installationId } = installation;
    for (const [receivedAt, name] of [
      [1, 'install'],
      [2, 'access_token'],
    ] as const) {
      await store.events.recordEvent({ ...event, installationId, event: name, receivedAt });
    }
    for (const succeeded of [true, false]) {
      await store.events.recordTokenOperation({
        installationId,
        operation: 'refresh',
        startedAt: 3,
        durationMs: 1.6,
        succeeded,
        tokenVersion: succeeded ? 2 : null,
        reason: succeeded ? null : 'invalid_grant',
      });
    }

    const history = await readHistory(store, installationId);

    assert.deepEqual(
      history.map((entry) => ('event' in entry ? entry.event : { ...entry, id: 0 })),
      [
        {
          ...refresh,
          id: 0,
          durationMs: 2,
          succeeded: false,
          tokenVersion: null,
          reason: 'invalid_grant',
        },
        { ...refresh, id: 0, durationMs: 2, succeeded: true, tokenVersion: 2, reason: null },
        'access_token',
        'install',
      ],
    );
    assert.equal(await store.reports.describe('unknown'), undefined);
  }),

  check(
    'an event that was refused is the installation’s error, until tokens arrive',
    async ({ store }) => {
      const installation = await begin(store);
      await store.events.recordEvent({
        installationId: installation.id,
        event: 'access_token',
        receivedAt: 7,
        durationMs: 1,
        status: 400,
        reason: 'scope_missing',
      });

      const facts = await store.reports.describe(installation.id);
      assert.deepEqual(facts?.installation.lastFailure, { reason: 'scope_missing', at: 7 });
    },
  ),

  check('an id that no installation can have is not found', async ({ store }) => {
    assert.equal(await store.reports.describe('a\0b'), undefined);
  }),
];

import assert from 'node:assert/strict';
import type { Store } from '../store.ts';
import { begin, check, granted } from './check.ts';

const event = { durationMs: 5, status: 201, reason: null } as const;

/** The reports of the installations of one tenant. */
const listTenant = (store: Store, tenantId: string) =>
  store.reports.listInstallations({ search: tenantId, limit: 50 });

export const reportChecks = [
  check(
    'a report shows an installation’s tokens by their times, and its newest event',
    async ({ store, other }) => {
      const { installation } = await granted(store);
      const { id: installationId } = installation;
      await store.events.recordEvent({ ...event, installationId, event: 'install', receivedAt: 1 });
      await store.events.recordEvent({
        ...event,
        installationId,
        event: 'access_token',
        receivedAt: 2,
      });
      await store.installations.addInstance(installationId, 'i-1', 1);

      const { installations } = await listTenant(other, installation.tenantId);

      assert.equal(installations.length, 1);
      const [summary] = installations;
      assert.equal(summary?.id, installationId);
      assert.equal(summary?.status, 'active');
      assert.deepEqual(summary?.accessToken, { version: 1, issuedAt: 1_000, expiresAt: 61_000 });
      assert.deepEqual(summary?.grantedScopes, ['plugin:notify', 'plugin:read']);
      assert.equal(summary?.hasRefreshToken, true);
      assert.equal(summary?.instanceCount, 1);
      assert.equal(summary?.lastEvent?.event, 'access_token');
      assert.equal(summary?.lastError, null);
    },
  ),

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

    const report = await store.reports.describeInstallation(installationId);

    assert.deepEqual(
      report?.tokenOperations.map(({ durationMs }) => durationMs),
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

    const report = await store.reports.describeInstallation(installationId);

    assert.deepEqual(
      report?.events.map(({ event: name }) => name),
      ['access_token', 'install'],
    );
    assert.deepEqual(
      report?.tokenOperations.map(({ succeeded, durationMs }) => ({ succeeded, durationMs })),
      [
        { succeeded: false, durationMs: 2 },
        { succeeded: true, durationMs: 2 },
      ],
    );
    assert.equal(await store.reports.describeInstallation('unknown'), undefined);
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

      const report = await store.reports.describeInstallation(installation.id);
      assert.deepEqual(report?.installation.lastError, { reason: 'scope_missing', at: 7 });
    },
  ),

  check('an id that no installation can have is not found', async ({ store }) => {
    assert.equal(await store.reports.describeInstallation('a\0b'), undefined);
  }),

  check('one of all processes deletes old rows when it is due', async ({ store, other }) => {
    const request = { now: Date.now(), historyDays: 30 };

    const reports = await Promise.all(
      [store, other, store, other].map((each) => each.maintain(request)),
    );

    assert.equal(reports.filter((report) => report !== undefined).length, 1);
    assert.equal(await store.maintain({ ...request, now: request.now + 1 }), undefined);
  }),
];

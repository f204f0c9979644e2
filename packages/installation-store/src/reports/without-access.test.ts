/** Since when an installation is without access: the row, the filter by age and the counts give the same answer. */
import { randomUUID } from 'node:crypto';
import { stateOf, withoutAccessSince } from '@dowel/admin-api';
import { Secret } from '@dowel/schema';
import type { Grant } from '@dowel/token-client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Store } from '../store.ts';
import type { Installation } from '../stores/find-installation.ts';
import { type TestDatabase, testDatabases } from '../testing/test-databases.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const access = {
  baseUrl: 'https://acme.example.com',
  clientId: 'client',
  clientSecret: new Secret('client-secret'),
  tokenEndpointUrl: 'api/oauth/token',
  trigger: null,
};
const lease = { owner: 'one', leaseMs: 15_000, maxPresentations: 3, burst: 3, intervalMs: 10_000 };
const failure = { mayBeSpent: false, mayArrive: false, retryInMs: 0, reason: 'server_error' };
const pause = { by: 'ada', reason: 'The tenant asked for it' };

for (const kind of testDatabases) {
  describe.skipIf(!kind.isAvailable)(
    `since when an installation is without access on ${kind.name}`,
    () => {
      let database: TestDatabase;
      let store: Store;
      let aheadMs: number;
      let installation: Installation;

      beforeEach(async () => {
        database = await kind.create();
        store = await database.open();
        aheadMs = 0;
        installation = await begin();
      });

      afterEach(() => database.destroy());

      const clock = () => Date.now() + aheadMs;

      async function wait(ms: number): Promise<void> {
        aheadMs += ms;
        await database.shiftClock(ms);
      }

      async function begin(): Promise<Installation> {
        const key = { issuer: access.baseUrl, tenantId: randomUUID(), pluginId: randomUUID() };
        return store.transaction(({ installations }) => installations.begin(key, 1, clock()));
      }

      /** Returns the end of the access token. */
      async function giveTokens(
        endsInMs: number | null = hourMs,
        { iat = 1, isRenewable = true } = {},
      ): Promise<number> {
        const issuedAt = clock();
        const expiresAt = endsInMs === null ? null : issuedAt + endsInMs;
        const refreshToken = isRenewable ? new Secret('refresh') : null;
        const rest = { accessToken: new Secret('access'), grantedScopes: [], issuedAt, expiresAt };
        await store.transaction(({ grants }) =>
          grants.replace(installation, access, { ...rest, refreshToken }, { iat, newestIat: iat }),
        );
        return expiresAt ?? 0;
      }

      async function loadGrant(): Promise<Grant> {
        const grant = await store.grants.load(installation.id);
        if (!grant) throw new Error('It has no tokens');
        return grant;
      }

      async function acquire() {
        const acquired = await store.renewals.acquire(await loadGrant(), lease);
        if (acquired.outcome !== 'acquired') throw new Error(acquired.outcome);
        return acquired.lease;
      }

      /** A refresh without tokens. */
      async function fail(): Promise<void> {
        await store.renewals.release(await acquire(), failure);
      }

      async function die(reason = 'invalid_grant'): Promise<void> {
        await store.grants.markAwaitingEvent(await loadGrant(), reason, clock());
      }

      const pauseIt = () => store.operators.pause(installation.id, pause);
      const resume = () => store.operators.resume(installation.id);

      async function firstFailure(): Promise<number> {
        const [row] = await database.execute('select failing_since as at from grants');
        return Number(row?.at);
      }

      async function readRow() {
        const [row] = await store.reports.readRows([installation.id]);
        if (!row) throw new Error('It is not listed');
        return row;
      }

      async function listOfAge(age: { minAgeMs?: number; maxAgeMs?: number }, now: number) {
        const query = { ...age, now, limit: 9, sort: 'broken' as const };
        const { rows } = await store.reports.listFleet(query);
        expect(await store.reports.countMatches(query)).toEqual({
          count: rows.length,
          isExact: true,
        });
        return rows.map(({ id }) => id);
      }

      async function countsAt(now: number) {
        const { groups, brokenWithinHour, brokenOverDay } = await store.reports.countFleet(now);
        return { broken: groups.broken, brokenWithinHour, brokenOverDay };
      }

      async function expectAccess(now = clock()): Promise<void> {
        expect(withoutAccessSince(await readRow(), now)).toBeNull();
        expect(await listOfAge({ minAgeMs: 0 }, now)).toEqual([]);
        expect(await listOfAge({ maxAgeMs: dayMs }, now)).toEqual([]);
        const counts = await countsAt(now);
        expect(counts).toEqual({ broken: 0, brokenWithinHour: 0, brokenOverDay: 0 });
      }

      async function expectNoAccessSince(since: number): Promise<void> {
        const { id } = installation;
        const now = since + hourMs;
        expect(withoutAccessSince(await readRow(), now)).toBe(since);
        expect(await listOfAge({ minAgeMs: hourMs }, now)).toEqual([id]);
        expect(await listOfAge({ minAgeMs: hourMs + 1 }, now)).toEqual([]);
        expect(await listOfAge({ maxAgeMs: hourMs }, now)).toEqual([id]);
        expect(await listOfAge({ maxAgeMs: hourMs - 1 }, now)).toEqual([]);
        const broken = { broken: 1, brokenWithinHour: 0, brokenOverDay: 0 };
        expect(await countsAt(now)).toEqual({ ...broken, brokenWithinHour: 1 });
        expect(await countsAt(now + 1)).toEqual(broken);
        expect(await countsAt(since + dayMs - 1)).toEqual(broken);
        expect(await countsAt(since + dayMs)).toEqual({ ...broken, brokenOverDay: 1 });
      }

      async function outages() {
        return (await store.reports.describe(installation.id))?.outages ?? [];
      }

      test('an installation whose refresh fails has access until the end of its token', async () => {
        const end = await giveTokens();
        await fail();

        await expectAccess();
        await expectAccess(end - 1);
        await expectNoAccessSince(end);
        expect((await readRow()).failingSince).toBe(await firstFailure());
        expect(await outages()).toMatchObject([
          { beganAt: await firstFailure(), accessEndsAt: end, endedAt: null },
        ]);
      });

      test('an idle one is without access from the first failure after the end of its token', async () => {
        const end = await giveTokens();
        await wait(2 * hourMs);
        await expectAccess();

        await fail();

        expect(await firstFailure()).toBeGreaterThan(end);
        await expectNoAccessSince(await firstFailure());
      });

      test('a token without a named end counts as living', async () => {
        await giveTokens(null);
        await fail();

        await expectAccess();
        expect((await readRow()).accessEndsAt).toBe(await firstFailure());
      });

      test('a token that cannot be renewed and has run out is no lost access: a call asks for another', async () => {
        const end = await giveTokens(hourMs, { isRenewable: false });

        await expectAccess(end + dayMs);
      });

      test.each(['invalid_grant', 'secret_integrity'])(
        'a grant that dies of %s takes its living token with it, also when a refresh failed before',
        async (reason) => {
          await giveTokens(2 * hourMs);
          await fail();
          await wait(hourMs);
          const death = clock();

          await die(reason);

          const { accessEndsAt } = await readRow();
          expect(accessEndsAt).toBeGreaterThanOrEqual(death);
          expect(accessEndsAt).toBeLessThanOrEqual(clock());
          await expectNoAccessSince(accessEndsAt ?? 0);
          expect(await outages()).toMatchObject([{ beganAt: await firstFailure(), accessEndsAt }]);
        },
      );

      test('a grant that dies after its token has lost no access a second time', async () => {
        const end = await giveTokens();
        await fail();
        await wait(3 * hourMs);

        await die();

        await expectNoAccessSince(end);
      });

      test('another cause does not move the time', async () => {
        await giveTokens();
        await die();
        const since = (await readRow()).accessEndsAt;
        await wait(hourMs);
        const event = { receivedAt: clock(), durationMs: 1, status: 402, reason: 'scope_missing' };

        await store.events.recordEvent({
          ...event,
          installationId: installation.id,
          event: 'access_token',
        });

        expect(await readRow()).toMatchObject({ cause: 'scope_missing', accessEndsAt: since });
        await expectNoAccessSince(since ?? 0);
      });

      test('an install without tokens is without access since it began, when it waits too long', async () => {
        const { beganAt } = await readRow();

        await expectAccess(beganAt + 2 * minuteMs - 1);
        await expectNoAccessSince(beganAt);
      });

      test('a refused install never had access', async () => {
        const { id } = installation;
        const event = { receivedAt: clock(), durationMs: 1, status: 402, reason: 'scope_missing' };
        await store.events.recordEvent({ ...event, installationId: id, event: 'access_token' });
        await store.transaction(({ installations }) => installations.uninstall(installation, 2));

        const row = await readRow();
        expect(stateOf(row, clock())).toBe('install_refused');
        await expectNoAccessSince(row.beganAt);
      });

      test('tokens and an uninstall end it', async () => {
        await giveTokens();
        await die();

        await giveTokens(hourMs, { iat: 2 });
        await expectAccess();
        await die();
        await store.transaction(({ installations }) => installations.uninstall(installation, 5));

        await expectAccess(clock() + dayMs);
      });

      test('a pause hides the trouble and does not end it', async () => {
        const end = await giveTokens();
        await fail();
        const began = await firstFailure();
        await wait(2 * hourMs);

        await pauseIt();
        await expectAccess();
        expect(await outages()).toMatchObject([{ beganAt: began, endedAt: null }]);
        await wait(hourMs);
        await resume();

        await expectNoAccessSince(end);
        expect(await readRow()).toMatchObject({ failingSince: began });
        expect(await outages()).toMatchObject([
          { beganAt: began, accessEndsAt: end, endedAt: null },
        ]);
      });

      test('the death of a grant is as old after a pause as before it', async () => {
        await giveTokens();
        await die();
        const since = (await readRow()).accessEndsAt ?? 0;

        await pauseIt();
        await wait(hourMs);
        await resume();

        await expectNoAccessSince(since);
        expect(await outages()).toHaveLength(1);
      });

      test('an install without tokens is as old after a pause as before it', async () => {
        const { beganAt } = await readRow();
        await pauseIt();
        await wait(hourMs);
        await expectAccess();

        await resume();

        await expectNoAccessSince(beganAt);
      });

      test('trouble that begins during a pause is as old as its first failure', async () => {
        await giveTokens();
        const sent = await acquire();
        await pauseIt();
        await store.renewals.release(sent, failure);
        const began = await firstFailure();
        await wait(2 * hourMs);
        await expectAccess();
        expect(await outages()).toEqual([]);

        await resume();

        expect(await readRow()).toMatchObject({ condition: 'failing', failingSince: began });
        expect(await outages()).toMatchObject([{ beganAt: began, endedAt: null }]);
      });

      test('tokens that were stored during a pause end the trouble from before it', async () => {
        await giveTokens();
        await die();
        await pauseIt();
        await wait(hourMs);

        await giveTokens(hourMs, { iat: 2 });

        expect(await outages()).toMatchObject([{ endedBy: 'event', endedAt: expect.any(Number) }]);
        expect(await readRow()).toMatchObject({ condition: 'paused' });
        await resume();
        await expectAccess();
        await wait(hourMs);
        await die();
        expect(await readRow()).toMatchObject({ accessEndsAt: await firstFailure() });
        expect(await outages()).toHaveLength(2);
      });

      test('an uninstall during a pause ends the outage', async () => {
        await giveTokens();
        await die();
        await pauseIt();

        await store.transaction(({ installations }) => installations.uninstall(installation, 5));

        expect(await outages()).toMatchObject([{ endedBy: 'uninstall' }]);
        await expectAccess(clock() + dayMs);
      });
    },
  );
}

/** The requests that an operator makes by hand. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createStrictAuthorizationServer } from './testing/strict-authorization-server.ts';
import { createWorld, type World } from './testing/world.ts';

let world: World;

beforeAll(async () => {
  world = await createWorld({ createServer: createStrictAuthorizationServer });
});
afterAll(() => world.close());

describe('refresh now', () => {
  test('replaces tokens that are still valid, once for several at the same time', async () => {
    const { id, tally } = await world.install();

    const versions = await Promise.all([world.client.refreshNow(id), world.client.refreshNow(id)]);

    expect(versions).toEqual([2, 2]);
    expect(tally).toMatchObject({ refreshes: 1, reuses: 0 });
  });

  test('reports when the token endpoint may be asked again', async () => {
    const installation = await world.install();
    installation.refreshFaults = [
      { refusal: { status: 503, body: {}, headers: { 'retry-after': '600' } } },
    ];

    const refreshed = world.client.refreshNow(installation.id);

    await expect(refreshed).rejects.toMatchObject({
      code: 'REFRESH_FAILED',
      retryAfterSeconds: 600,
    });
  });
});

describe('asking for an event', () => {
  test('is ahead of the pause between two triggers, and not twice in ten seconds', async () => {
    const installation = await world.install();
    const { id, tally } = installation;
    installation.sendsEvents = false;
    await world.platform.revokeGrants(installation);
    const { tokenVersion } = await world.client.getAccessToken(id);
    await expect(world.client.invalidate(id, tokenVersion, { timeoutMs: 500 })).rejects.toThrow();
    await expect.poll(() => tally.triggers).toBe(1);
    expect(await world.client.askForEvent(id)).toMatchObject({ outcome: 'too_early' });
    await world.database.shiftClock(10_000);

    installation.sendsEvents = true;
    const asked = await Promise.all([world.client.askForEvent(id), world.client.askForEvent(id)]);

    expect(asked.map(({ outcome }) => outcome).toSorted()).toEqual(['taken', 'too_early']);
    await expect.poll(() => world.tokenVersion(id)).toBe(2);
    expect(tally.triggers).toBe(2);
  });

  test('reports why the platform cannot be asked, or did not accept it', async () => {
    const silent = await world.install({ hasTrigger: false });
    const refusing = await world.install();
    refusing.triggerAnswer = { status: 503, body: {} };

    expect(await world.client.askForEvent(silent.id)).toEqual({
      outcome: 'not_taken',
      reason: 'no_trigger_event',
    });
    expect(await world.client.askForEvent(refusing.id)).toEqual({
      outcome: 'not_taken',
      reason: 'trigger_answered_503',
    });
  });

  test('reports when it is not too early any more', async () => {
    const { id } = await world.install();
    const { store } = world;
    const tooEarly = { outcome: 'too_early', retryInMs: 4_321 } as const;
    const client = world.createClient({
      store: { ...store, renewals: { ...store.renewals, claimTrigger: async () => tooEarly } },
    });

    expect(await client.askForEvent(id)).toEqual(tooEarly);
  });

  test('needs tokens that were stored once', async () => {
    await expect(world.client.askForEvent('nobody')).rejects.toMatchObject({
      code: 'GRANT_NOT_FOUND',
    });
  });
});

describe('the test of a connection', () => {
  test('sends the stored token once to base_url, and renews nothing', async () => {
    const installation = await world.install();
    const { id, tally, baseUrl } = installation;

    const good = await world.client.testConnection(id);
    installation.refusesEveryCall = true;
    const bad = await world.client.testConnection(id);

    expect(good).toMatchObject({ url: baseUrl, status: 201 });
    expect(good.durationMs).toBeGreaterThan(0);
    expect(bad.status).toBe(401);
    expect(tally).toMatchObject({ accepted: 1, refused: 1, refreshes: 0, triggers: 0 });
  });
});

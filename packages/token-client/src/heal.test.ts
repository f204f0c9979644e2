import { Secret } from '@dowel/schema';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RecordedStore } from './testing/memory-database.ts';
import { type OutageWorld, startOutageWorld } from './testing/outage-world.ts';
import type { PlatformInstallation } from './testing/platform-installation.ts';
import type { TokenClientOptions } from './token-client.ts';

/** How many milliseconds the store's clock is ahead of the real one. */
let clockOffsetMs = 0;
let world: OutageWorld;
let store: RecordedStore;
let platform: OutageWorld['platform'];

beforeAll(async () => {
  world = await startOutageWorld({ now: () => Date.now() + clockOffsetMs });
  ({ store, platform } = world);
});
afterAll(() => world.close());

const createClient = (options?: Partial<TokenClientOptions>) => world.createClient(options);
const begin = (installation: PlatformInstallation) => world.begin(installation);
const expired = () => world.expired();

describe('heal', () => {
  test('a dead grant causes one trigger per back-off step, even without calls', async () => {
    const installation = await expired();
    const version = await store.grants.findVersion(installation.id);
    if (!version) throw new Error('Nothing is stored');
    await store.grants.markAwaitingEvent(version, 'invalid_grant', Date.now());

    const healers = [createClient(), createClient()];
    await Promise.all(healers.map((client) => client.heal()));

    await expect
      .poll(() => store.installations.get(installation.id))
      .toMatchObject({ status: 'active' });
    expect(installation.tally.triggers).toBe(1);
  });

  test('a client is drained when the trigger that it is sending was answered and recorded', async () => {
    const installation = await expired();
    const version = await store.grants.findVersion(installation.id);
    if (!version) throw new Error('Nothing is stored');
    await store.grants.markAwaitingEvent(version, 'invalid_grant', Date.now());
    const answered = Promise.withResolvers<void>();
    installation.beforeTriggerAnswer = () => answered.promise;
    const client = createClient();
    const ended: string[] = [];
    const healing = client.heal().then((taken) => ended.push(`${taken} taken`));
    await expect.poll(() => installation.tally.triggers).toBe(1);

    const draining = client.drain().then(() => ended.push('drained'));
    answered.resolve();
    await Promise.all([healing, draining]);

    expect(ended).toEqual(['1 taken', 'drained']);
  });

  test('due triggers are sent although the failing installations cannot be read', async () => {
    const installation = await expired();
    const version = await store.grants.findVersion(installation.id);
    if (!version) throw new Error('Nothing is stored');
    await store.grants.markAwaitingEvent(version, 'invalid_grant', Date.now());
    const locked = () => Promise.reject(new Error('database is locked'));
    const usability = {
      claimFailing: locked,
      markBroken: locked,
      endBroken: async () => undefined,
    };
    const client = createClient({
      store: { ...store, usability },
      applied: async () => {},
    });

    await expect(client.heal()).rejects.toThrow('database is locked');

    await expect
      .poll(() => store.installations.get(installation.id))
      .toMatchObject({ status: 'active' });
    expect(installation.tally.triggers).toBe(1);
  });

  test('an installation whose first exchange was interrupted gets a trigger after a minute', async () => {
    const installation = await platform.addInstallation();
    const begun = await begin(installation);
    const { baseUrl, triggerToken } = installation;
    const body = new Secret(JSON.stringify({ token: triggerToken }));
    const intent = { iat: 1, codeDigest: 'd', baseUrl, trigger: { url: '/trigger', body } };
    await store.renewals.beginExchange(begun, intent, 15_000);
    const client = createClient();

    expect(await client.heal()).toBe(0);
    clockOffsetMs += 61_000;
    expect(await client.heal()).toBe(1);

    await expect.poll(() => store.grants.findVersion(begun.id)).toMatchObject({ tokenVersion: 1 });
    expect(await client.heal()).toBe(0);
  });
});

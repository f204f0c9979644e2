/** A tenant whose address changes: the platform signs its events with another issuer (docs/decisions/0018). */
import { afterEach, expect, test } from 'vitest';
import { startWorld, type World } from '../testing/start-world.ts';

let world: World;

afterEach(() => world[Symbol.asyncDispose]());

/** The event, as the platform signs it after the tenant's address has changed. */
async function signForNewAddress(request: Request): Promise<Request> {
  const token = new URLSearchParams(await request.clone().text()).get('token') ?? '';
  const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
  const claims = JSON.parse(payload) as { iss: string; iat: number };
  // Only a later second counts as newer.
  const iat = claims.iat + 1;
  const body = await world.platform.sign({ ...claims, iss: `${claims.iss}/moved`, iat });
  const headers = { 'content-type': 'application/jwt' };
  return new Request(request.url, { method: 'POST', headers, body });
}

test('a tenant with two addresses is in the log, and a page of the older one shows that it is in use', async () => {
  let hasMoved = false;
  world = await startWorld({
    platform: {
      fetch: async (input, init) => {
        const request = new Request(input, init);
        const isEvent = hasMoved && request.url.endsWith('/access_token');
        return fetch(isEvent ? await signForNewAddress(request) : request);
      },
    },
  });
  const { installationId, instanceId, pluginId } = await world.install();
  const { tenantId, store } = world;
  const { issuer } = (await store.installations.get(installationId)) ?? {};
  hasMoved = true;
  await world.platform.sendAccessTokenEvent({ tenantId, pluginId });

  const moved = await store.installations.find({ issuer: `${issuer}/moved`, tenantId, pluginId });
  const lines = world.infoLines().filter(({ msg }) => msg === 'installation.two_addresses');
  expect(lines).toMatchObject([
    {
      installationId: moved?.id,
      olderInstallationId: installationId,
      olderIssuer: issuer,
      mayRest: true,
    },
  ]);
  expect((await store.installations.get(installationId))?.hasMoved).toBe(true);
  await world.openSession(instanceId);
  expect((await store.installations.get(installationId))?.hasMoved).toBe(false);
});

import { createPlatformJwtVerifier, parseTrustRules } from '@dowel/platform-jwt';
import type { AccessTokenEvent } from '@dowel/schema';
import { createMemoryStore, createTokenClient, TokenClientError } from '@dowel/token-client';
import { expect, test } from 'vitest';
import { type Kit, startKit } from './kit.ts';

test('a call that meets a 401 goes through with a refreshed token, and a store in memory', async () => {
  await using kit = await startKit();
  const { event, path } = await installWithEvent(kit);
  const { accept, notify } = createClient(kit);
  const installationId = await accept(event);
  const { tenantId, pluginId } = event;
  kit.platform.revoke({ tenantId, pluginId, what: 'accessTokens' });

  expect(await notify(installationId, path)).toBe(201);
  expect(await notify('none', path)).toBe('GRANT_NOT_FOUND');
});

/** Installs, and returns the verified event whose code nobody has exchanged yet. */
async function installWithEvent(kit: Kit) {
  const { trust, receive } = kit;
  const verifier = createPlatformJwtVerifier({ trustRules: parseTrustRules(trust) });
  const received = Promise.withResolvers<AccessTokenEvent>();
  kit.receive = async (name, eventJwt) => {
    if (name !== 'access_token') return receive(name, eventJwt);
    const event = await verifier.verifyEvent(eventJwt, name);
    if (event.sub === 'access_token') received.resolve(event);
    return { status: 201, body: {}, reason: null };
  };
  const { installation, instanceId } = await kit.install();
  const path = `/api/plugins/${installation.pluginId}/instances/${instanceId}/notifications`;
  return { event: await received.promise, path };
}

function createClient({ platform, colleague }: Kit) {
  const platformOrigin = platform.origin;

  const store = createMemoryStore();
  const tokenClient = createTokenClient({ store, internalOrigins: [platformOrigin] });

  async function accept(event: AccessTokenEvent): Promise<string> {
    const key = { issuer: event.iss, tenantId: event.tenantId, pluginId: event.pluginId };
    const installation = await store.installations.begin(key, event.iat);
    await tokenClient.acceptEvent(installation, event, { requestedScopes: ['plugin:notify'] });
    return installation.id;
  }

  async function notify(installationId: string, path: string): Promise<number | string> {
    try {
      const response = await tokenClient.fetch(installationId, path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ recipientEmail: colleague.email, message: 'Coffee?' }),
      });
      return response.status;
    } catch (error) {
      if (error instanceof TokenClientError) return error.code; // wait for error.retryAfterSeconds
      throw error;
    }
  }

  return { accept, notify };
}

test('the example of createMemoryStore runs', async () => {
  const [issuer, tenantId, pluginId, iat] = ['https://acme.example.com', 'tenant', 'plug-in', 1];

  const store = createMemoryStore();
  const installation = await store.installations.begin({ issuer, tenantId, pluginId }, iat);
  const tokenClient = createTokenClient({ store });

  expect(installation).toMatchObject({ issuer, status: 'pending', generation: 1 });
  await tokenClient.drain();
});

test('the example of createTokenClient runs', async () => {
  await using kit = await startKit();
  const { installation } = await kit.install();
  const { store } = kit;

  const tokenClient = createTokenClient({ store });
  const { accessToken, baseUrl } = await tokenClient.getAccessToken(installation.id);
  const heal = () => tokenClient.heal().catch((error) => process.emitWarning(error));
  const healing = setInterval(() => void heal(), 5_000);

  expect([accessToken.reveal().length > 10, baseUrl]).toEqual([true, installation.issuer]);
  clearInterval(healing);
  await tokenClient.drain();
});

import { createTokenClient, TokenClientError } from '@dowel/token-client';
import { expect, test } from 'vitest';
import { type Kit, startKit } from './kit.ts';

test('a call that meets a 401 goes through with a refreshed token', async () => {
  await using kit = await startKit();
  const { installation, instanceId } = await kit.install();
  const { tenantId, pluginId } = installation;
  kit.platform.revoke({ tenantId, pluginId, what: 'accessTokens' });

  expect(await notify(kit, { installation, instanceId })).toBe(201);
  expect(await notify(kit, { installation: { id: 'none', pluginId }, instanceId })).toBe(
    'GRANT_NOT_FOUND',
  );
});

async function notify(
  { store, platform, colleague }: Kit,
  { installation, instanceId }: Notified,
): Promise<number | string> {
  const platformOrigin = platform.origin;
  const path = `/api/plugins/${installation.pluginId}/instances/${instanceId}/notifications`;

  const tokenClient = createTokenClient({ store, internalOrigins: [platformOrigin] });
  try {
    const response = await tokenClient.fetch(installation.id, path, {
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

interface Notified {
  installation: { id: string; pluginId: string };
  instanceId: string;
}

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

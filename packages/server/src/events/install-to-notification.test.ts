import { describeInstallation } from '@dowel/installation-store/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { revealedSecrets } from '../testing/revealed-secrets.ts';
import { startWorld, type World } from '../testing/start-world.ts';

let world: World;

beforeEach(async () => {
  world = await startWorld();
});

afterEach(async () => {
  await world[Symbol.asyncDispose]();
});

const oneHourSeconds = 3_600;

async function refreshesOf(installationId: string) {
  const report = await describeInstallation(world.store, installationId);
  return report?.tokenOperations.map(({ operation, succeeded }) => ({ operation, succeeded }));
}

test('an installed plug-in notifies a colleague with the tenant’s token', async () => {
  const { instanceId, installationId } = await world.install();

  const response = await world.notify(await world.openSession(instanceId), 'Lunch?');

  expect(response.status).toBe(200);
  expect(world.platform.notifications(world.colleague.userId)).toMatchObject([
    { message: 'Lunch?' },
  ]);
  expect((await world.store.installations.get(installationId))?.status).toBe('active');
});

test('after the token expired, twenty clicks at once start one refresh', async () => {
  const { instanceId, installationId } = await world.install();
  const session = await world.openSession(instanceId);
  world.platform.changeLab(world.tenantId, { advanceSeconds: oneHourSeconds });

  const clicks = Array.from({ length: 20 }, () => world.notify(session, 'Again'));

  for (const response of await Promise.all(clicks)) expect(response.status).toBe(200);
  expect(await refreshesOf(installationId)).toEqual([
    { operation: 'refresh', succeeded: true },
    { operation: 'exchange', succeeded: true },
  ]);
});

test('a revoked refresh token is healed by one trigger and its event', async () => {
  const { pluginId, instanceId, installationId } = await world.install();
  const session = await world.openSession(instanceId);
  for (const what of ['accessTokens', 'refreshTokens'] as const) {
    world.platform.revoke({ tenantId: world.tenantId, pluginId, what });
  }

  expect((await world.notify(session, 'Healed')).status).toBe(200);
  expect(await refreshesOf(installationId)).toEqual([
    { operation: 'exchange', succeeded: true },
    { operation: 'trigger', succeeded: true },
    { operation: 'refresh', succeeded: false },
    { operation: 'exchange', succeeded: true },
  ]);
});

test('an unrequested event replaces the tokens', async () => {
  const { pluginId, installationId } = await world.install();

  await world.platform.sendAccessTokenEvent({ tenantId: world.tenantId, pluginId });

  expect(await world.store.grants.load(installationId)).toMatchObject({ tokenVersion: 2 });
});

test('a refused scope fails the installation and is uninstalled at once', async () => {
  world.platform.changeLab(world.tenantId, { grantedScopes: [] });

  await expect(world.install()).rejects.toMatchObject({ code: 'REFUSED' });

  await vi.waitFor(async () => {
    const [installation] = await world.store.installations.listAfter('', 1);
    expect(await describeInstallation(world.store, installation?.id ?? '')).toMatchObject({
      installation: { condition: 'refused', lastFailure: { reason: 'scope_missing' } },
      token: null,
      events: [{ event: 'uninstall', status: 201 }, {}, {}],
    });
  }, 120_000);
});

test('uninstall ends the sessions and leaves no token', async () => {
  const { pluginId, instanceId, installationId } = await world.install();
  const session = await world.openSession(instanceId);

  await world.platform.uninstall({ tenantId: world.tenantId, pluginId });

  expect((await world.notify(session, 'Too late')).status).toBe(401);
  expect(await world.store.grants.load(installationId)).toBeUndefined();
});

test('an unknown recipient is refused in our words, not in the platform’s', async () => {
  const { instanceId } = await world.install();
  const session = await world.openSession(instanceId);

  const response = await world.post(
    '/api/createNotification',
    { recipientEmail: 'nobody@nowhere.example', message: 'Hello' },
    { authorization: `Bearer ${session}` },
  );

  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({
    code: 'NOTIFICATION_REFUSED',
    message: 'The platform does not know this recipient or this widget, or it refuses the text',
  });
});

test('E07, S21: no secret reaches the log', async () => {
  const { pluginId, instanceId, installationId } = await world.install();
  const before = await revealedSecrets(world.store, installationId);
  const session = await world.openSession(instanceId);
  world.platform.revoke({ tenantId: world.tenantId, pluginId, what: 'accessTokens' });
  world.platform.revoke({ tenantId: world.tenantId, pluginId, what: 'refreshTokens' });
  await world.notify(session, 'Healed');
  const after = await revealedSecrets(world.store, installationId);

  const log = world.logs.join('');
  expect(after).not.toEqual(before);
  const secrets = [...before, ...after, session, world.signInCode];
  for (const secret of secrets) expect(log).not.toContain(secret);
  expect(log).not.toContain('code=');
});

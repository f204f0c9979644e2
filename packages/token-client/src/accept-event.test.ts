import { answersWith, refuses } from '@dowel/emulator/authorization-server';
import { type AccessTokenEvent, accessTokenEventSchema } from '@dowel/schema';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createMemoryStore } from './memory-store.ts';
import { scope } from './testing/authorization-server.ts';
import { startPlatform } from './testing/platform.ts';
import type { PlatformInstallation } from './testing/platform-installation.ts';
import { createStrictAuthorizationServer } from './testing/strict-authorization-server.ts';
import { createTokenClient } from './token-client.ts';
import type { InstallationLife } from './token-store.ts';

const store = createMemoryStore();
let platform: Awaited<ReturnType<typeof startPlatform>>;
let onPlatform: PlatformInstallation;
let installation: InstallationLife;
/** The newest event that the platform sent. */
let event: AccessTokenEvent;

beforeAll(async () => {
  platform = await startPlatform(createStrictAuthorizationServer);
  platform.onEvent(async (payload) => {
    event = accessTokenEventSchema.parse(payload);
  });
});
afterAll(() => platform.close());
beforeEach(async () => {
  onPlatform = await platform.addInstallation();
  const { baseUrl: issuer, tenantId, pluginId } = onPlatform;
  installation = await store.installations.begin({ issuer, tenantId, pluginId }, 1);
  await platform.sendEvent(onPlatform);
});

const options = { requestedScopes: [scope] };
const createClient = () => createTokenClient({ store, internalOrigins: [platform.origin] });
const accept = () => createClient().acceptEvent(installation, event, options);

test('the tokens and the caller’s writes are stored together', async () => {
  const { outcome, tokenVersion, result } = await createClient().acceptEvent(installation, event, {
    ...options,
    commit: async ({ operators }, acceptance) => {
      await operators.pause(installation.id);
      return acceptance.tokenVersion;
    },
  });

  expect({ outcome, tokenVersion, result }).toEqual({
    outcome: 'stored',
    tokenVersion: 1,
    result: 1,
  });
  expect((await store.grants.load(installation.id))?.isPaused).toBe(true);
});

test('returns the scopes of the stored tokens and of those that they replace', async () => {
  onPlatform.exchangeFaults = [answersWith({ scope: `${scope} more` })];
  const first = await accept();
  await platform.sendEvent(onPlatform);
  const second = await accept();

  expect(first).toMatchObject({ generation: 1, previousScopes: [] });
  expect(second).toMatchObject({
    generation: 1,
    grantedScopes: [scope],
    previousScopes: first.grantedScopes,
  });
  expect(first.grantedScopes).not.toEqual(second.grantedScopes);
});

test('an exchange that may not begin stores nothing and does not send the code', async () => {
  const sent = onPlatform.tally.exchanges;

  const { outcome, result } = await createClient().acceptEvent(installation, event, {
    ...options,
    mayBegin: async () => false,
    commit: () => Promise.reject(new Error('Nothing may be stored')),
  });

  expect({ outcome, result }).toEqual({ outcome: 'dropped', result: undefined });
  expect(onPlatform.tally.exchanges).toBe(sent);
  // The code was not counted as presented.
  expect(await accept()).toMatchObject({ outcome: 'stored' });
});

test('if the caller’s write fails, the tokens are not stored either', async () => {
  const fault = new Error('the caller’s');

  await expect(
    createClient().acceptEvent(installation, event, {
      ...options,
      commit: () => Promise.reject(fault),
    }),
  ).rejects.toBe(fault);

  expect(await store.grants.load(installation.id)).toBeUndefined();
});

test('an essential scope that is not granted is refused, and nothing is stored', async () => {
  onPlatform.exchangeFaults = [answersWith({ scope: '' })];

  await expect(accept()).rejects.toMatchObject({ reason: 'scope_missing', rejected: true });

  expect(await store.grants.load(installation.id)).toBeUndefined();
  expect(await store.renewals.loadTrigger(installation.id)).toBeUndefined();
});

test('R2: a code whose answers were lost is presented twice, and then another event is requested', async () => {
  onPlatform.exchangeFaults = [{ isLost: true }, { isLost: true }];

  for (const _ of [1, 2]) {
    await expect(accept()).rejects.toMatchObject({ rejected: false, mayBeSpent: true });
  }
  await expect(accept()).rejects.toMatchObject({ reason: 'code_unanswered', rejected: true });

  expect(onPlatform.tally.exchanges).toBe(2);
  expect(await store.renewals.loadTrigger(installation.id)).toMatchObject({
    baseUrl: onPlatform.baseUrl,
  });
});

test('a code that the token endpoint did not read is presented with every delivery of the event', async () => {
  onPlatform.exchangeFaults = [503, 503, 429].map((status) => refuses(status));

  for (const _ of [1, 2, 3]) {
    await expect(accept()).rejects.toMatchObject({ rejected: false, mayBeSpent: false });
  }

  expect(await accept()).toMatchObject({ outcome: 'stored' });
});

test('after a lost answer, a refusal still allows the request for another event', async () => {
  onPlatform.exchangeFaults = [{ isLost: true }];

  await expect(accept()).rejects.toMatchObject({ mayBeSpent: true });
  await expect(accept()).rejects.toMatchObject({ reason: 'invalid_grant', rejected: true });

  expect(await store.renewals.loadTrigger(installation.id)).toBeDefined();
});

test('after an uninstall before the exchange, the code is not sent and no secret is stored', async () => {
  await store.transaction(({ installations }) => installations.uninstall(installation, event.iat));

  expect(await accept()).toMatchObject({ outcome: 'ended', tokenVersion: null });

  expect(onPlatform.tally.exchanges).toBe(0);
  await store.installations.begin(installation, event.iat);
  expect(await store.renewals.loadTrigger(installation.id)).toBeUndefined();
});

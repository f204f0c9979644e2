import { createPlatformJwtVerifier, PlatformJwtError, parseTrustRules } from '@dowel/platform-jwt';
import type { LifecycleEvent, LifecycleEventName } from '@dowel/schema';
import { expect, test } from 'vitest';
import { startKit } from './kit.ts';

test('a verified event is an event of the trusted platform', async () => {
  await using kit = await startKit();
  await kit.install();
  const { trust } = kit;
  const [{ eventJwt } = { eventJwt: '' }] = kit.events;

  const verifier = createPlatformJwtVerifier({ trustRules: parseTrustRules(trust) });

  async function readEvent(
    name: LifecycleEventName,
    jwt: string,
  ): Promise<LifecycleEvent | string> {
    try {
      return await verifier.verifyEvent(jwt, name);
    } catch (error) {
      if (!(error instanceof PlatformJwtError)) throw error;
      return error.retryable ? 'try again' : error.reason;
    }
  }

  expect(await readEvent('install', eventJwt)).toMatchObject({ tenantId: kit.tenantId });
  expect(await readEvent('uninstall', eventJwt)).toBe('sub_mismatch');
  expect(await readEvent('install', `${eventJwt.slice(0, -9)}AAAAAAAAA`)).toBe('signature_invalid');
});

test('the example of createPlatformJwtVerifier runs', async () => {
  await using kit = await startKit();
  const { installation, instanceId } = await kit.install();
  const userId = kit.platform.tenants[0]?.users[0]?.userId ?? '';
  const { trust } = kit;
  const initJwt = await kit.platform.createInitJwt({ userId, instanceId, jti: 'nonce-1' });

  const verifier = createPlatformJwtVerifier({ trustRules: parseTrustRules(trust) });
  const claims = await verifier.verifyInit(initJwt);

  expect(claims['ctx.tenantId']).toBe(installation.tenantId);
});

test('the example of parseTrustRules runs', () => {
  const trustRules = parseTrustRules('https://*.example.com=https://keys.example.com/');

  expect(trustRules).toMatchObject([
    { issuer: { host: 'example.com' }, keys: { origin: 'https://keys.example.com' } },
  ]);
});

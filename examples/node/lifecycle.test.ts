import { createLifecycle, type EventAnswer } from '@dowel/lifecycle';
import { createPlatformJwtVerifier, parseTrustRules } from '@dowel/platform-jwt';
import type { LifecycleEventName } from '@dowel/schema';
import { createTokenClient } from '@dowel/token-client';
import { expect, test } from 'vitest';
import { startKit } from './kit.ts';

test('an install and its tokens are stored before the platform gets its 201', async () => {
  await using kit = await startKit();
  const { store, trust } = kit;
  const platformOrigin = kit.platform.origin;

  const verifier = createPlatformJwtVerifier({ trustRules: parseTrustRules(trust) });
  const tokenClient = createTokenClient({ store, internalOrigins: [platformOrigin] });
  const lifecycle = createLifecycle({ store, tokenClient, requestedScopes: ['plugin:notify'] });

  async function receive(name: LifecycleEventName, eventJwt: string): Promise<EventAnswer> {
    const event = await verifier.verifyEvent(eventJwt, name);
    return lifecycle.accept(event); // answer with its status, its body and Retry-After
  }

  kit.receive = receive;
  const { installation } = await kit.install();
  expect(installation.status).toBe('active');
  expect(kit.events.map(({ name }) => name)).toEqual(['install', 'access_token', 'instance_add']);
  await lifecycle.drain();
});

test('the example of createLifecycle runs', async () => {
  await using kit = await startKit();
  await kit.install();
  const { store, trust } = kit;
  const tokenClient = createTokenClient({ store });
  const verifier = createPlatformJwtVerifier({ trustRules: parseTrustRules(trust) });
  const eventJwt = kit.events.at(-1)?.eventJwt ?? '';
  const event = await verifier.verifyEvent(eventJwt, 'instance_add');

  const lifecycle = createLifecycle({ store, tokenClient, requestedScopes: ['plugin:notify'] });
  const { status, body, reason } = await lifecycle.accept(event);

  expect({ status, body, reason }).toEqual({ status: 201, body: {}, reason: null });
});

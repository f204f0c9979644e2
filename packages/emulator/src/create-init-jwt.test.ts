import { initClaimsSchema } from '@dowel/schema';
import { expect, test } from 'vitest';
import { acme, mara, startWorld } from './testing/start-world.ts';

test('the init JWT has the context that the manifest requests and nothing more', async () => {
  await using world = await startWorld();
  const { path } = await world.place();

  const initJwt = await world.platform.createInitJwt({
    userId: mara,
    instanceId: path.instanceId,
    jti: 'nonce-1',
  });

  const [header = '', payload = ''] = initJwt
    .split('.')
    .map((part) => Buffer.from(part, 'base64url').toString());
  expect(JSON.parse(header)).toEqual(world.plugin.events[0]?.header);
  const { iat, exp, ...claims } = initClaimsSchema.parse(JSON.parse(payload));
  expect(exp - iat).toBe(60);
  expect(claims).toEqual({
    iss: `${world.platform.origin}/t/acme`,
    sub: 'init',
    jti: 'nonce-1',
    'ctx.tenantId': acme,
    'ctx.userId': mara,
    'ctx.userName': 'Mara Lindner',
    'ctx.userLanguage': 'de',
  });
});

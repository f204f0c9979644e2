import type { World } from './start-world.ts';

/** Signs an init JWT of the first tenant, as the platform does for its pages (Spec §5), with other claims than usual. */
export function signInitJwt(
  { platform, tenantId, user }: World,
  claims: Record<string, unknown>,
): Promise<string> {
  const iat = Math.floor(Date.now() / 1000);
  return platform.sign({
    iss: platform.tenants[0]?.baseUrl ?? '',
    sub: 'init',
    iat,
    exp: iat + 60,
    jti: crypto.randomUUID(),
    'ctx.tenantId': tenantId,
    'ctx.userId': user.userId,
    ...claims,
  });
}

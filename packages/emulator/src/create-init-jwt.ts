/** The signed answer to an iframe's init message: flat claims, signed with the same key as events. */
import type { User } from './control-api.ts';
import type { Environment } from './environment.ts';
import { extraClaims } from './extra-claims.ts';
import type { InstanceConfig } from './instance-config.ts';
import { findInstance, type TenantState } from './tenant-state.ts';

const initLifetimeSeconds = 60;

/** @throws PlatformError `INSTANCE_NOT_FOUND` */
export async function createInitJwt(
  env: Environment,
  state: TenantState,
  { user, instanceId, jti }: { user: User; instanceId: string; jti: string },
): Promise<string> {
  const { installation, instance } = findInstance(state, instanceId);
  const { sign } = await env.signingKeys.open();
  const iat = Math.floor(env.now() / 1000);
  return sign({
    iss: state.tenant.baseUrl,
    sub: 'init',
    jti,
    iat,
    exp: iat + initLifetimeSeconds,
    'ctx.tenantId': state.tenant.tenantId,
    'ctx.userId': user.userId,
    ...requestedContext(user, installation.manifest.context ?? []),
    ...storedConfig(instance.config),
    ...extraClaims(state.lab),
  });
}

/** The JWT contains only claims that the manifest's `context` requests. */
function requestedContext(user: User, context: readonly string[]): Record<string, string> {
  const available = { userName: user.name, userEmail: user.email, userLanguage: user.language };
  return Object.fromEntries(
    Object.entries(available)
      .filter(([name]) => context.includes(name))
      .map(([name, value]) => [`ctx.${name}`, value]),
  );
}

/** Every viewer of the widget gets them. */
function storedConfig(config: InstanceConfig): Record<string, unknown> {
  return Object.fromEntries(Object.entries(config).map(([name, value]) => [`cfg.${name}`, value]));
}

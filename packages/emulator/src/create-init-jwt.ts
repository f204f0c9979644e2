/** The signed answer to an iframe's init message: flat claims, by the same key as events. */
import type { User } from './control-api.ts';
import type { Environment } from './environment.ts';
import { PlatformError } from './errors.ts';
import type { TenantState } from './tenant-state.ts';

const initLifetimeSeconds = 60;

/** @throws PlatformError `INSTANCE_NOT_FOUND` */
export async function createInitJwt(
  env: Environment,
  state: TenantState,
  { user, instanceId, jti }: { user: User; instanceId: string; jti: string },
): Promise<string> {
  const installation = state.installations.find(({ instances }) =>
    instances.some((each) => each.instanceId === instanceId),
  );
  if (!installation) throw new PlatformError('INSTANCE_NOT_FOUND', 'No such instance is placed');
  const { sign } = await env.signingKey;
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
  });
}

/** Only what the manifest's `context` asks for leaves the platform. */
function requestedContext(user: User, context: readonly string[]): Record<string, string> {
  const available = { userName: user.name, userEmail: user.email, userLanguage: user.language };
  return Object.fromEntries(
    Object.entries(available)
      .filter(([name]) => context.includes(name))
      .map(([name, value]) => [`ctx.${name}`, value]),
  );
}

/** The signed request to a configuration page. The page answers with this `jti` and the values to store. */
import { randomUUID } from 'node:crypto';
import type { User } from './control-api.ts';
import type { Environment } from './environment.ts';
import { findInstance, type TenantState } from './tenant-state.ts';

const saveLifetimeSeconds = 60;

/** @throws PlatformError `INSTANCE_NOT_FOUND` */
export async function createSaveJwt(
  env: Environment,
  state: TenantState,
  { user, instanceId }: { user: User; instanceId: string },
): Promise<{ saveJwt: string; jti: string }> {
  findInstance(state, instanceId);
  const { sign } = await env.signingKeys.open();
  const jti = randomUUID();
  const iat = Math.floor(env.now() / 1000);
  const saveJwt = await sign({
    iss: state.tenant.baseUrl,
    sub: 'save',
    jti,
    iat,
    exp: iat + saveLifetimeSeconds,
    'ctx.tenantId': state.tenant.tenantId,
    'ctx.userId': user.userId,
  });
  return { saveJwt, jti };
}

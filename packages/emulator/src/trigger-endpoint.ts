/**
 * `POST /t/:slug/api/plugins/:pluginId/access_token/:tenantId` (Spec §4.3): requests a new
 * access_token event, which is sent after the answer. The trigger token in the body is the only
 * credential. The answer for an unknown plug-in or tenant is the same as for a wrong token.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'koa';
import { z } from 'zod';
import { isTriggerToken } from './authorization-server/index.ts';
import type { Environment } from './environment.ts';
import { PlatformError } from './errors.ts';
import type { Fault } from './fault-schema.ts';
import { readJson } from './request-body.ts';
import { sendAccessTokenEvent } from './send-access-token-event.ts';
import type { InstallationRecord } from './snapshot.ts';
import type { TenantState } from './tenant-state.ts';

const triggerSchema = z.object({ token: z.string().max(256) });

export async function answerTrigger(
  ctx: Context,
  env: Environment,
  state: TenantState,
  { pluginId, tenantId }: { pluginId: string; tenantId: string },
): Promise<void> {
  const { token: triggerToken } = await readJson(ctx, triggerSchema);
  const isValid = isTriggerToken(state.authorizationServer, { pluginId, triggerToken });
  const installation = state.installations.find((each) => each.pluginId === pluginId);
  if (!isValid || !installation?.manifest.apiAccess || tenantId !== state.tenant.tenantId) {
    throw new PlatformError('TRIGGER_TOKEN_INVALID', 'The trigger token is not valid');
  }
  ctx.status = 202;
  ctx.body = { accepted: true };
  const { fault } = ctx.state as { fault?: Fault };
  const delayMs = fault?.name === 'trigger.late' ? fault.ms : 0;
  void sendLater(env, state, { installation, delayMs });
}

async function sendLater(
  env: Environment,
  state: TenantState,
  { installation, delayMs }: { installation: InstallationRecord; delayMs: number },
): Promise<void> {
  if (delayMs > 0) {
    await sleep(delayMs, undefined, { ref: false, signal: env.closed }).catch(() => undefined);
  }
  await sendAccessTokenEvent(env, state, installation);
}

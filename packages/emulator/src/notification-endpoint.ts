/**
 * `POST /t/:slug/api/plugins/:pluginId/instances/:instanceId/notifications`: the endpoint of
 * the scope `plugin:notify`. Spec §4.4 does not show it; its rules are from the platform's client.
 */
import { type Notification, notificationSchema } from '@dowel/schema';
import type { Context } from 'koa';
import { requireAccess } from './access-token.ts';
import type { Access } from './authorization-server/index.ts';
import type { User } from './control-api.ts';
import type { Environment } from './environment.ts';
import { PlatformError } from './errors.ts';
import { readJson } from './request-body.ts';
import type { TenantState } from './tenant-state.ts';

export async function answerNotification(
  ctx: Context,
  env: Environment,
  state: TenantState,
  { pluginId, instanceId }: { pluginId: string; instanceId: string },
): Promise<void> {
  const access = authorize(ctx, state);
  const installation = state.installations.find((each) => each.pluginId === pluginId);
  if (!installation?.instances.some((each) => each.instanceId === instanceId)) {
    throw new PlatformError('INVALID_REQUEST', 'Unknown plug-in or instance');
  }
  if (access.pluginId !== pluginId) {
    throw new PlatformError('SCOPE_MISSING', 'The access token belongs to another plug-in');
  }
  const notification = await readJson(ctx, notificationSchema);
  const { userId } = findRecipient(state, notification);
  const { id } = state.notifications.add({
    recipientId: userId,
    pluginId,
    pluginName: installation.manifest.name,
    instanceId,
    receivedAt: env.now(),
    notification,
  });
  env.changes.publishNotifications(userId);
  ctx.status = 201;
  ctx.body = { id };
}

function authorize(ctx: Context, state: TenantState): Access {
  const access = requireAccess(ctx, state);
  if (access.scopes.includes('plugin:notify')) return access;
  ctx.set(
    'WWW-Authenticate',
    'Bearer realm="platform", error="insufficient_scope", scope="plugin:notify"',
  );
  throw new PlatformError('SCOPE_MISSING', 'The access token lacks the scope plugin:notify');
}

function findRecipient(
  { tenant }: TenantState,
  { recipientId, recipientEmail }: Notification,
): User {
  const email = recipientEmail?.toLowerCase();
  const user = tenant.users.find(
    (each) => each.userId === recipientId || each.email.toLowerCase() === email,
  );
  if (user) return user;
  throw new PlatformError('INVALID_REQUEST', 'Unknown recipient');
}

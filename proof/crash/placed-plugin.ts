/** Actions of a plug-in's users: install it, place it on a page, open the page, and send a notification. */
import { randomBytes, randomUUID } from 'node:crypto';
import { openSession } from '@dowel/server/testing';
import type { CrashWorld } from './crash-world.ts';

export interface PlacedPlugin {
  pluginId: string;
  instanceId: string;
  /** A session that was opened before the first fault. */
  session: string;
}

export async function installPlugin(
  { crashPlatform, manifestUrl }: CrashWorld,
  pluginId: string = randomUUID(),
): Promise<string> {
  const { platform, tenantId } = crashPlatform;
  await platform.install({ tenantId, manifestUrl, pluginId });
  return pluginId;
}

/** Places an installed plug-in, and opens its page. */
export async function placePlugin(world: CrashWorld, pluginId: string): Promise<PlacedPlugin> {
  const { platform, tenantId } = world.crashPlatform;
  const { installations } = platform.plugins(tenantId);
  const installed = installations.find((each) => each.pluginId === pluginId);
  const entryPointId = installed?.entryPoints[0]?.id ?? '';
  const { instanceId } = await platform.addInstance({ tenantId, pluginId, entryPointId });
  return { pluginId, instanceId, session: await openPage(world, instanceId) };
}

async function openPage(world: CrashWorld, instanceId: string): Promise<string> {
  const { platform } = world.crashPlatform;
  const userId = platform.tenants[0]?.users[0]?.userId ?? '';
  const jti = randomBytes(16).toString('hex');
  const initJwt = await platform.createInitJwt({ userId, instanceId, jti });
  return openSession(() => post(world, '/api/session', { body: { initJwt, instanceId } }));
}

/** A call of the plug-in's page. Rejects when the process dies. */
export function notify(
  world: CrashWorld,
  { session }: PlacedPlugin,
  message = 'Lunch?',
): Promise<Response> {
  const recipientId = world.crashPlatform.platform.tenants[0]?.users[1]?.userId;
  return post(world, '/api/createNotification', {
    body: { recipientId, message },
    headers: { authorization: `Bearer ${session}` },
  });
}

async function post(
  world: CrashWorld,
  path: string,
  { body, headers = {} }: { body: unknown; headers?: Record<string, string> },
): Promise<Response> {
  return fetch(`${await world.locate()}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

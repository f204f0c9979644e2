/** Actions of a plug-in's users: install it, place it on a page, open the page, and send a notification. */
import { randomBytes, randomUUID } from 'node:crypto';
import { openSession } from '@dowel/server/testing';
import type { KillWorld } from './kill-world.ts';

export interface PlacedPlugin {
  pluginId: string;
  instanceId: string;
  /** A session that was opened before the first fault. */
  session: string;
}

export async function installPlugin(
  { killPlatform, manifestUrl }: KillWorld,
  pluginId: string = randomUUID(),
): Promise<string> {
  const { platform, tenantId } = killPlatform;
  await platform.install({ tenantId, manifestUrl, pluginId });
  return pluginId;
}

/** Places an installed plug-in, and opens its page. */
export async function placePlugin(
  world: KillWorld,
  pluginId: string,
  config: Record<string, string> = {},
): Promise<PlacedPlugin> {
  const { platform, tenantId } = world.killPlatform;
  const { instanceId } = await addInstance(world, pluginId);
  platform.saveConfig({ tenantId, pluginId, instanceId, config });
  const session = await openPage(world, instanceId, await createInitJwt(world, instanceId));
  return { pluginId, instanceId, session };
}

export function addInstance({ killPlatform }: KillWorld, pluginId: string) {
  const { platform, tenantId } = killPlatform;
  const { installations } = platform.plugins(tenantId);
  const installed = installations.find((each) => each.pluginId === pluginId);
  const entryPointId = installed?.entryPoints[0]?.id ?? '';
  return platform.addInstance({ tenantId, pluginId, entryPointId });
}

export function createInitJwt({ killPlatform }: KillWorld, instanceId: string): Promise<string> {
  const { platform } = killPlatform;
  const userId = platform.tenants[0]?.users[0]?.userId ?? '';
  return platform.createInitJwt({ userId, instanceId, jti: randomBytes(16).toString('hex') });
}

/** @returns the session's token */
export function openPage(world: KillWorld, instanceId: string, initJwt: string): Promise<string> {
  return openSession(() => post(world, '/api/session', { body: { initJwt, instanceId } }));
}

/** What the back end knows of the user whose page has this session. */
export async function describeCaller(world: KillWorld, session: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${session}` };
  return (await post(world, '/api/describeCaller', { body: {}, headers })).json();
}

/** A call of the plug-in's page. Rejects when the process dies. */
export function notify(
  world: KillWorld,
  { session }: PlacedPlugin,
  message = 'Lunch?',
): Promise<Response> {
  const recipientId = world.killPlatform.platform.tenants[0]?.users[1]?.userId;
  return post(world, '/api/createNotification', {
    body: { recipientId, message },
    headers: { authorization: `Bearer ${session}` },
  });
}

async function post(
  world: KillWorld,
  path: string,
  { body, headers = {} }: { body: unknown; headers?: Record<string, string> },
): Promise<Response> {
  return fetch(`${await world.locate()}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

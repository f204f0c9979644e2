/** A placed widget of the plug-in, as one user of the tenant sees it. */
import { randomUUID } from 'node:crypto';
import type { Manifest } from '@dowel/schema';
import { skipped } from '../check.ts';
import type { World } from './world.ts';

export interface PlacedWidget {
  instanceId: string;
  /** Of its page, with `?src=`. */
  url: string;
  src: string;
  userId: string;
  /** Another user of the tenant. */
  recipientId: string;
  /** A new init JWT of its page. @param jti Default: a random one. */
  createInitJwt(jti?: string): Promise<string>;
}

interface Place {
  /** Of the tenant. */
  name: string;
  pluginId: string;
  manifest: Manifest;
}

/** Places the first entry point. @throws Finding `skipped` if there is none */
export async function placeWidget(
  { platform, tenantOf }: World,
  { name, pluginId, manifest }: Place,
): Promise<PlacedWidget> {
  const { tenantId, users } = tenantOf(name);
  const [userId = '', recipientId = ''] = users.map((user) => user.userId);
  const entryPointId = manifest.entryPoints[0]?.id;
  if (entryPointId === undefined) throw skipped('The manifest has no entry point.');
  const { instanceId, url, src } = await platform.addInstance({ tenantId, pluginId, entryPointId });
  return {
    instanceId,
    url,
    src,
    userId,
    recipientId,
    createInitJwt: (jti = randomUUID()) => platform.createInitJwt({ userId, instanceId, jti }),
  };
}

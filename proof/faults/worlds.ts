/** A platform with a back end of Dowel, and one with the naive back end. */
import { readFile } from 'node:fs/promises';
import { startTestServer } from '@dowel/emulator/test-server';
import type { Manifest } from '@dowel/schema';
import { createNotification, createServer } from '@dowel/server';
import { createNaiveBackEnd } from './naive-back-end.ts';
import type { World } from './play-fault.ts';

const manifest = JSON.parse(
  await readFile(new URL('../../manifest.json', import.meta.url), 'utf8'),
) as Manifest;

export async function startDowel(): Promise<World> {
  const server = await startTestServer((options) =>
    createServer({ ...options, manifest, operations: { createNotification } }),
  );
  const recipientId = server.platform.tenants[0]?.users[1]?.userId;
  return {
    server,
    pathOf: () => '',
    async useWidget({ instanceId }) {
      const page = await server.openPage({ instanceId });
      return page.fetch('api/createNotification', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ recipientId, message: 'Hello' }),
      });
    },
  };
}

export async function startNaive(): Promise<World> {
  const server = await startTestServer(() => createNaiveBackEnd(manifest));
  const recipientId = server.platform.tenants[0]?.users[1]?.userId;
  return {
    server,
    pathOf: (mistake) => `/${mistake}`,
    useWidget: ({ path, pluginId, instanceId }) =>
      fetch(`${server.url}${path}/use`, {
        method: 'POST',
        body: JSON.stringify({
          pluginId,
          recipientId,
          path: `/api/plugins/${pluginId}/instances/${instanceId}/notifications`,
        }),
      }),
  };
}

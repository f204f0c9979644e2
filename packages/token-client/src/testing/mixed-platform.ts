/** An origin with tenants that answer at once and tenants that never do. Their tokens are stored without an event. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { storeGrant } from './store-grant.ts';
import type { World } from './world.ts';

const livesAt = () => Date.now() + 3_600_000;

export async function startMixedPlatform(world: World) {
  const hanging: ServerResponse[] = [];
  const answered: string[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const secret = searchParams.get('refresh_token') ?? request.headers.authorization ?? pathname;
    if (secret.includes('hangs')) {
      hanging.push(response);
      return;
    }
    answered.push(pathname);
    response.end(JSON.stringify({ access_token: 'new', token_type: 'bearer' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    /** The requests that have no answer. */
    hanging,
    /** The paths of the others. */
    answered,

    /** Installs in a tenant of its own, and returns the installation's id. `base`: relative to the origin. */
    install: (
      behaviour: 'quick' | 'hangs',
      { expiresAt = livesAt(), base = '' }: { expiresAt?: number; base?: string } = {},
    ) => storeGrant(world, { baseUrl: `${origin}/${base}`, token: behaviour, expiresAt }),

    /** Installs in a tenant of its own. The grant is dead, and the platform's answer to its trigger is due. */
    async installDead(behaviour: 'quick' | 'hangs', base: string): Promise<void> {
      const id = await storeGrant(world, {
        baseUrl: `${origin}/${base}/`,
        token: behaviour,
        expiresAt: livesAt(),
        trigger: { url: `trigger/${behaviour}`, body: null },
      });
      const version = await world.store.grants.findVersion(id);
      if (!version) throw new Error('Nothing is stored');
      await world.store.grants.markAwaitingEvent(version, 'invalid_grant', Date.now());
    },

    refuseHanging(): void {
      for (const response of hanging) {
        response.writeHead(400).end(JSON.stringify({ error: 'invalid_grant' }));
      }
    },

    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

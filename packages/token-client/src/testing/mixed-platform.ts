/** An origin with tenants that answer at once and tenants that never do. Their tokens are stored without an event. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { storeGrant } from './store-grant.ts';
import type { World } from './world.ts';

const livesAt = () => Date.now() + 3_600_000;

export async function startMixedPlatform(world: World) {
  const hanging: ServerResponse[] = [];
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://localhost');
    const secret = searchParams.get('refresh_token') ?? request.headers.authorization ?? '';
    if (secret.includes('hangs')) hanging.push(response);
    else response.end(JSON.stringify({ access_token: 'new', token_type: 'bearer' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    /** The requests that have no answer. */
    hanging,

    /** Installs in a tenant of its own, and returns the installation's id. `base`: relative to the origin. */
    install: (
      behaviour: 'quick' | 'hangs',
      { expiresAt = livesAt(), base = '' }: { expiresAt?: number; base?: string } = {},
    ) => storeGrant(world, { baseUrl: `${origin}/${base}`, token: behaviour, expiresAt }),

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

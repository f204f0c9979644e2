/** A process that stops breaks no call: notifications, signed events, pages. Threat P3. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Call } from './keep-alive-clients.ts';
import { enginesFor, runsAll, shareKillPlatform } from './kill-suite.ts';
import type { KillWorld } from './kill-world.ts';
import { installPlugin, type PlacedPlugin, placePlugin } from './placed-plugin.ts';
import { restartInTurn } from './rolling-restart.ts';

const shared = shareKillPlatform();
const plan = { clients: 16, calls: runsAll ? 1_000 : 200, restarts: runsAll ? 2 : 1 };
/** The number of notifications and of events in ten calls. */
const share = { notifications: 4, events: 1 };

test.each(enginesFor('SQLite'))(
  'P3: restarts reset no call of clients that keep their connections, on $name',
  (engine) =>
    shared.inWorld(engine, async (world) => {
      const plugin = await placePlugin(world, await installPlugin(world));

      const { failed, answered, exits } = await restartInTurn({
        ...plan,
        environment: world.environment,
        nextCall: (index) => createCall(world, plugin, index % 10),
      });

      expect(failed).toEqual({});
      expect(exits).toEqual(Array(plan.restarts).fill(0));
      expect(Object.values(answered)).toHaveLength(2);
    }),
);

async function createCall(world: KillWorld, plugin: PlacedPlugin, kind: number): Promise<Call> {
  if (kind < share.notifications) return createNotification(world, plugin);
  if (kind < share.notifications + share.events) return createEvent(world);
  return { method: 'GET', path: '/manifest.json' };
}

function createNotification({ killPlatform }: KillWorld, { session }: PlacedPlugin): Call {
  const recipientId = killPlatform.platform.tenants[0]?.users[1]?.userId;
  return {
    method: 'POST',
    path: '/api/createNotification',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${session}` },
    body: JSON.stringify({ recipientId, message: 'Lunch?' }),
  };
}

async function createEvent({ killPlatform }: KillWorld): Promise<Call> {
  const { platform, tenantId } = killPlatform;
  const iat = Math.floor(Date.now() / 1_000);
  const claims = { sub: 'install', iat, exp: iat + 60, tenantId, pluginId: randomUUID() };
  const body = await platform.sign({ iss: platform.tenants[0]?.baseUrl ?? '', ...claims });
  return {
    method: 'POST',
    path: '/lifecycle/install',
    headers: { 'content-type': 'application/jwt' },
    body,
  };
}

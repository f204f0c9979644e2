/** Threat P3 with everything that a back end answers: notifications, signed events, pages. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { engines, patienceMs, shareCrashPlatform } from './crash-suite.ts';
import type { CrashWorld } from './crash-world.ts';
import type { Call } from './keep-alive-clients.ts';
import { installPlugin, type PlacedPlugin, placePlugin } from './placed-plugin.ts';
import { restartInTurn } from './rolling-restart.ts';

const shared = shareCrashPlatform();
const calls = 10_000;
const restarts = 8;
/** The number of notifications and of events in ten calls. */
const share = { notifications: 4, events: 1 };

test.each(engines)(
  `P3: ${restarts} restarts reset none of 10,000 calls on $name`,
  { timeout: 4 * patienceMs },
  (engine) =>
    shared.inWorld(engine, async (world) => {
      const plugin = await placePlugin(world, await installPlugin(world));

      const { failed, answered, exits, stopsMs } = await restartInTurn({
        environment: world.environment,
        clients: 48,
        calls,
        restarts,
        nextCall: (index) => createCall(world, plugin, index % 10),
      });

      // For docs/benchmarks.md. A busy machine decides how long it takes, so no test has a limit.
      process.stdout.write(`stops on ${engine.name}: ${stopsMs.join(', ')} ms\n`);
      expect(failed).toEqual({});
      expect(exits).toEqual(Array(restarts).fill(0));
      expect(Object.values(answered)).toHaveLength(2);
    }),
);

async function createCall(world: CrashWorld, plugin: PlacedPlugin, kind: number): Promise<Call> {
  if (kind < share.notifications) return createNotification(world, plugin);
  if (kind < share.notifications + share.events) return createEvent(world);
  return { method: 'GET', path: '/manifest.json' };
}

function createNotification({ crashPlatform }: CrashWorld, { session }: PlacedPlugin): Call {
  const recipientId = crashPlatform.platform.tenants[0]?.users[1]?.userId;
  return {
    method: 'POST',
    path: '/api/createNotification',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${session}` },
    body: JSON.stringify({ recipientId, message: 'Lunch?' }),
  };
}

async function createEvent({ crashPlatform }: CrashWorld): Promise<Call> {
  const { platform, tenantId } = crashPlatform;
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

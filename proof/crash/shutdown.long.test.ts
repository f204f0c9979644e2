/** Stopped and killed with calls in flight: threats P1 and P2. */
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { engines, patienceMs, shareCrashPlatform } from './crash-suite.ts';
import type { CrashWorld } from './crash-world.ts';
import { installPlugin, notify, type PlacedPlugin, placePlugin } from './placed-plugin.ts';
import { loadGrant } from './stored-state.ts';

const shared = shareCrashPlatform(fileURLToPath(new URL('./patient-program.ts', import.meta.url)));
const [sqlite] = engines;
if (!sqlite) throw new Error('SQLite is always there');

/** Holds requests of these kinds until the gate is opened. */
function closeGate(kinds: readonly string[]): { open: () => void } {
  const gate = Promise.withResolvers<void>();
  shared.platform.beforeRequest = async ({ kind }) => kinds.includes(kind) && gate.promise;
  return { open: gate.resolve };
}

/** Resolves when the process has received all calls. */
async function callAtOnce(
  world: CrashWorld,
  plugin: PlacedPlugin,
  count: number,
): Promise<Promise<number | 'reset'>[]> {
  const points = Array<string>(count).fill('request /api/createNotification');
  const { reached } = await world.whenReached(points);
  const calls = Array.from({ length: count }, (_, index) =>
    notify(world, plugin, `message ${index}`).then(
      ({ status }) => status,
      () => 'reset' as const,
    ),
  );
  await reached;
  return calls;
}

async function refusesConnections(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(false)).once('error', () => resolve(true));
  }).finally(() => socket.destroy()) as Promise<boolean>;
}

test('P1: SIGTERM with 500 calls and an exchange in flight fails none of them', () =>
  shared.inWorld(sqlite, async (world) => {
    const bff = await world.start();
    const plugin = await placePlugin(world, await installPlugin(world));
    const { platform, tenantId, records } = shared.platform;
    const { pluginId } = plugin;
    const gate = closeGate(['call', 'code']);
    const calls = await callAtOnce(world, plugin, 500);
    const delivery = platform.sendAccessTokenEvent({ tenantId, pluginId });
    await vi.waitFor(() => expect(records.requests.at(-1)?.kind).toBe('code'), patienceMs);

    bff.kill('SIGTERM');
    await vi.waitUntil(() => refusesConnections(bff.url), patienceMs);
    gate.open();

    const statuses = await Promise.all(calls);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    expect((await delivery).status).toBe(201);
    expect(await bff.exited).toEqual({ code: 0, signal: null });
  }));

test('P1: a call whose token is refused after SIGTERM waits for the process that renews it', () =>
  shared.inWorld(sqlite, async (world) => {
    const bff = await world.start();
    const plugin = await placePlugin(world, await installPlugin(world));
    const { platform, tenantId } = shared.platform;
    const { pluginId } = plugin;
    const gate = closeGate(['call']);
    const [call] = await callAtOnce(world, plugin, 1);
    const grant = await loadGrant(world, pluginId);
    if (!grant) throw new Error('Nothing is stored');
    const { renewals } = await world.store();
    const limits = { maxPresentations: 2, burst: 3, intervalMs: 5_000 };

    bff.kill('SIGTERM');
    await vi.waitUntil(() => refusesConnections(bff.url), patienceMs);
    platform.revoke({ tenantId, pluginId, what: 'accessTokens' });
    const request = { ...limits, owner: 'another process', leaseMs: 2_000 };
    expect(await renewals.acquire(grant, request)).toMatchObject({ outcome: 'acquired' });
    gate.open();

    expect(await call).toBe(200);
    expect(await bff.exited).toEqual({ code: 0, signal: null });
  }));

test('P2: no call that a killed process had in flight reaches the platform twice', () =>
  shared.inWorld(sqlite, async (world) => {
    const bff = await world.start();
    const plugin = await placePlugin(world, await installPlugin(world));
    const { requests } = shared.platform.records;
    const before = requests.length;
    const gate = closeGate(['call']);
    const calls = await callAtOnce(world, plugin, 100);

    await bff.end();
    gate.open();
    await world.start();

    expect(new Set(await Promise.all(calls))).toEqual(new Set(['reset']));
    expect((await notify(world, plugin, 'afterwards')).status).toBe(200);
    const messages = requests
      .slice(before)
      .flatMap(({ kind, body }) => (kind === 'call' ? [JSON.parse(body).message as string] : []));
    expect(messages.length).toBeGreaterThan(1);
    expect(messages.length).toBe(new Set(messages).size);
  }));

/** The hooks of a plug-in's server, from the platform's event to the call. */
import { afterEach, expect, test } from 'vitest';
import { createInstallEvent, sendEvent } from '../testing/send-event.ts';
import { startWorld, type World, type WorldOptions } from '../testing/start-world.ts';
import type { Hooks } from './hooks.ts';
import { type AnyDelivery, everyHook } from './testing/hook-world.ts';

let world: World;

afterEach(() => world[Symbol.asyncDispose]());

const startWith = async (hooks: Hooks, platform: WorldOptions['platform'] = {}) => {
  world = await startWorld({ app: { hooks }, platform });
};

test('the hooks of an install, its tokens and its widget are called after the answers, with a platform to call', async () => {
  const calls: AnyDelivery[] = [];
  const answers: number[] = [];
  await startWith(
    everyHook(async (delivery) => {
      calls.push(delivery);
      const answer = await delivery.platform?.fetch('/api/users');
      answers.push(answer?.status ?? 0);
    }),
  );
  const { installationId, pluginId } = await world.install();
  expect(calls).toEqual([]);
  await world.runHooks();

  expect(calls.map(({ event }) => event)).toEqual(['installed', 'instanceAdded']);
  expect(calls[0]?.data).toEqual({ grantedScopes: ['plugin:notify'], isReinstall: false });
  expect(calls[0]?.installation).toMatchObject({ id: installationId, plugin: '' });
  expect(answers).not.toContain(0);

  await world.platform.uninstall({ tenantId: world.tenantId, pluginId });
  await world.runHooks();
  expect(calls.at(-1)).toMatchObject({ event: 'uninstalled', platform: undefined });
});

test('S13: an uninstalled that is tried again after the next install spares the data of the new life', async () => {
  const rows = new Map<string, string>();
  const attempts: unknown[] = [];
  let aheadMs = 0;
  const hooks: Hooks = {
    installed({ installation: { lifeId, tenantId } }) {
      rows.set(lifeId, tenantId);
    },
    uninstalled({ attempt, isReinstalled, installation: { lifeId } }) {
      attempts.push({ attempt, isReinstalled, lifeId });
      if (attempt === 1) throw new Error('The database is away');
      rows.delete(lifeId);
    },
  };
  await startWith(hooks, { now: () => Date.now() + aheadMs });
  const { pluginId, installationId } = await world.install();
  await world.runHooks();
  const { tenantId } = world;
  const [first = ''] = rows.keys();
  await world.platform.uninstall({ tenantId, pluginId });
  await world.runHooks();
  // Events of one second have no order.
  aheadMs = 10_000;
  const manifestUrl = `${world.url}/manifest.json`;
  await world.platform.install({ tenantId, pluginId, manifestUrl });
  await world.shiftClock(60_000);
  await world.runHooks();

  expect(attempts).toEqual([
    { attempt: 1, isReinstalled: false, lifeId: first },
    { attempt: 2, isReinstalled: true, lifeId: first },
  ]);
  const lives = await world.store.installations.get(installationId);
  expect(rows).toEqual(new Map([[lives?.lifeId, tenantId]]));
});

test('S09: while a hook hangs, events are answered, and tokens are stored', async () => {
  const hanging = Promise.withResolvers<void>();
  await startWith({
    installed() {
      hanging.resolve();
      return new Promise(() => {});
    },
  });
  await world.install();
  const running = world.runHooks();
  await hanging.promise;
  const other = await world.install();

  expect(await world.store.grants.findVersion(other.installationId)).toBeDefined();
  await world.drain();
  expect(await running).toBeGreaterThan(0);
});

test('S09: a hook that blocks the process and throws fails no event', async () => {
  let calls = 0;
  await startWith({
    instanceAdded() {
      calls += 1;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
      throw new Error('No');
    },
  });
  await world.install();
  const running = world.runHooks();
  const response = await sendEvent(world, await createInstallEvent(world));
  await running;

  expect(response.status).toBe(201);
  expect(calls).toBe(1);
});

test('without a hook for it, an event writes nothing for later', async () => {
  await startWith({ uninstalled() {} });
  await world.install();

  expect(await world.store.hooks.findDueInMs([])).toBeUndefined();
});

test('hooks may be the methods of an object, with its own state', async () => {
  class PluginHooks {
    readonly #heard: string[] = [];

    get heard(): readonly string[] {
      return this.#heard;
    }

    beforeInstall(): void {
      this.#heard.push('beforeInstall');
    }

    installed({ event }: { event: string }): void {
      this.#heard.push(event);
    }
  }
  const hooks = new PluginHooks();
  await startWith(hooks);

  await world.install();
  await world.runHooks();

  expect(hooks.heard).toEqual(['beforeInstall', 'installed']);
});

test('beforeInstall sees the tenant, and its refusal reaches the platform with its text', async () => {
  const seen: unknown[] = [];
  await startWith({
    beforeInstall({ tenant, pluginId, generation, isReinstall, refuse }) {
      seen.push({ tenant, pluginId, generation, isReinstall });
      refuse('Please buy a licence first');
    },
  });
  const pluginId = crypto.randomUUID();
  const event = await createInstallEvent(world, { pluginId });
  for (const _ of [1, 2]) {
    const response = await sendEvent(world, event);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ code: 400, message: 'Please buy a licence first' });
  }

  const issuer = world.platform.tenants[0]?.baseUrl;
  expect(seen).toEqual([
    { tenant: { issuer, id: world.tenantId }, pluginId, generation: 1, isReinstall: false },
  ]);
});

test('a beforeInstall that throws is logged, and the platform is asked to come again', async () => {
  await startWith({
    beforeInstall() {
      throw new Error('The licence server is away');
    },
  });
  const response = await sendEvent(world, await createInstallEvent(world));

  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).toBe('5');
  expect(await response.text()).not.toContain('licence');
  expect(world.logs.join('')).toContain('The licence server is away');
});

/** Hooks on a real database, whose clock and timers pass by hand. */
import { randomUUID } from 'node:crypto';
import type { HookEvent, HookFacts, Installation, Store } from '@dowel/installation-store';
import type { TestDatabaseKind } from '@dowel/installation-store/testing';
import type { Log } from '../../log/log.ts';
import type { Platform } from '../../platform/call-platform.ts';
import {
  createHookDelivery,
  type HookDeliverer,
  type HookDeliveryOptions,
} from '../deliver-hooks.ts';
import type { HookData, HookDelivery, HookObservation, Hooks } from '../hooks.ts';
import { defaultHookPolicy } from '../policy.ts';
import { createManualTimer } from './manual-timer.ts';

export type AnyDelivery = HookDelivery<keyof HookData>;
export type HookWorld = Awaited<ReturnType<typeof createHookWorld>>;

/** How long a process holds the claim of a delivery. */
export const leaseMs = defaultHookPolicy.timeoutMs + 15_000;

const issuer = 'https://acme.example.com';
const silent = () => {};
const log: Log = { debug: silent, info: silent, warn: silent, error: silent };
const platform: Platform = {
  fetch: async () => new Response(null, { status: 204 }),
};

/** Uses one function for every hook. */
export function everyHook(handle: (delivery: AnyDelivery) => Promise<void> | void): Hooks {
  const names: HookEvent[] = [
    'installed',
    'tokensReceived',
    'instanceAdded',
    'instanceRemoved',
    'broken',
    'recovered',
    'uninstalled',
  ];
  return Object.fromEntries(names.map((name) => [name, handle])) as Hooks;
}

/** Creates hooks that always succeed, and records their calls. */
function recordCalls() {
  const calls: AnyDelivery[] = [];
  return {
    calls,
    heard: everyHook((delivery) => void calls.push(delivery)),
    /** The calls, each as event and attempt. */
    told: () => calls.map(({ event, attempt }) => `${event} ${attempt}`),
  };
}

/** Ends the installation, and begins its next life. */
function installAgain(store: Store, installation: Installation): Promise<Installation> {
  const { issuer, tenantId, pluginId } = installation;
  return store.transaction(async ({ installations }) => {
    await installations.uninstall(installation, 2);
    return installations.begin({ issuer, tenantId, pluginId }, 3, Date.now());
  });
}

/** Creates a database of this kind, with one process that records its calls. */
export async function createHookWorld(kind: TestDatabaseKind) {
  const database = await kind.create();
  const store = await database.open();
  const clock = createManualTimer();
  const observed: HookObservation[] = [];
  const deliverers: HookDeliverer[] = [];

  async function pass(ms: number): Promise<void> {
    await database.shiftClock(ms);
    clock.advance(ms);
  }

  return {
    database,
    store,
    observed,
    ...recordCalls(),
    pass,
    advance: clock.advance,

    /** Starts the delivery of another process with these hooks. */
    async deliver(
      hooks: Hooks,
      options: Partial<HookDeliveryOptions> = {},
    ): Promise<HookDeliverer> {
      const deliverer = createHookDelivery({
        hooks: { '': hooks },
        store: await database.open(),
        log,
        platformOf: () => platform,
        observe: (observation) => observed.push(observation),
        timer: clock.timer,
        random: () => 0.5,
        ...options,
      });
      deliverers.push(deliverer);
      return deliverer;
    },

    install(): Promise<Installation> {
      const key = { issuer, tenantId: randomUUID(), pluginId: randomUUID() };
      return store.transaction(({ installations }) => installations.begin(key, 1, Date.now()));
    },

    installAgain: (installation: Installation) => installAgain(store, installation),

    async append(
      { id, generation }: Installation,
      event: HookEvent,
      data: HookFacts = {},
    ): Promise<string> {
      return (await store.hooks.append({ installationId: id, generation, event, data })).id;
    },

    async close(): Promise<void> {
      for (const each of deliverers) await each.drain({ graceMs: 0 });
      await database.destroy();
    },
  };
}

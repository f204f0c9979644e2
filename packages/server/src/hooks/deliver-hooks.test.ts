/** The order of hooks, how many run at once, and which process calls them. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { usualDatabases } from '@dowel/installation-store/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PlatformAnswer } from '../platform/platform-answer.ts';
import type { Hooks } from './hooks.ts';
import { defaultHookPolicy } from './policy.ts';
import {
  type AnyDelivery,
  createHookWorld,
  everyHook,
  type HookWorld,
} from './testing/hook-world.ts';

const hourMs = 60 * 60_000;

for (const kind of usualDatabases) {
  describe.skipIf(!kind.isAvailable)(`hooks on ${kind.name}`, () => {
    let world: HookWorld;
    let calls: AnyDelivery[];
    let heard: Hooks;
    let told: () => string[];

    /** At most 3 s of the manual time pass. A poll would come after 5 s. */
    const passUntilCalled = () => {
      let passedMs = 0;
      return expect
        .poll(
          () => {
            if (passedMs < 3_000) world.advance(10);
            passedMs += 10;
            return calls.length;
          },
          { interval: 50 },
        )
        .toBe(1);
    };

    beforeEach(async () => {
      world = await createHookWorld(kind);
      ({ calls, heard, told } = world);
    });

    afterEach(() => world.close());

    test('leave no answer of the platform unread', async () => {
      const cancelled = Promise.withResolvers<void>();
      const body = new ReadableStream({ cancel: () => cancelled.resolve() });
      const answer = new PlatformAnswer(new Response(body), () => {
        throw new Error('Nobody reads it');
      });
      await world.append(await world.install(), 'installed', { isReinstall: false });
      const deliverer = await world.deliver(heard, {
        platformOf(_installation, { answers }) {
          answers?.push(answer);
          return { fetch: async () => answer };
        },
      });

      expect(await deliverer.runDue()).toBe(1);
      await cancelled.promise;
    });

    test('are called in the order of the commits, with facts and platform', async () => {
      const installation = await world.install();
      const id = await world.append(installation, 'installed', { isReinstall: false });
      await world.append(installation, 'broken', { since: 1, reason: 'invalid_grant' });
      await world.append(installation, 'uninstalled', { installedAt: 1 });
      const deliverer = await world.deliver(heard);

      expect(await deliverer.runDue()).toBe(3);
      expect(told()).toEqual(['installed 1', 'broken 1', 'uninstalled 1']);
      expect(calls[0]).toMatchObject({
        id,
        sequence: 1,
        isReplay: false,
        data: { isReinstall: false },
        installation: { id: installation.id, tenantId: installation.tenantId },
      });
      expect(calls.map(({ platform }) => platform !== undefined)).toEqual([true, false, false]);
      expect(await deliverer.runDue()).toBe(0);
    });

    test('are called right after the commit and its answer, without a poll', async () => {
      const installation = await world.install();
      const deliverer = await world.deliver(heard, { store: world.store });
      deliverer.start();
      await world.append(installation, 'installed');

      await passUntilCalled();
      await deliverer.drain();
    });

    test('are called right after the commit, too, if they are the methods of a class', async () => {
      class PluginHooks {
        installed(delivery: AnyDelivery): void {
          calls.push(delivery);
        }
      }
      const installation = await world.install();
      const deliverer = await world.deliver(new PluginHooks(), { store: world.store });
      deliverer.start();
      await world.append(installation, 'installed');

      await passUntilCalled();
      await deliverer.drain();
    });

    test('are called by another process than the one that wrote them', async () => {
      const installation = await world.install();
      const deliverer = await world.deliver(heard);
      deliverer.start();
      await world.append(installation, 'installed');

      await passUntilCalled();
      await deliverer.drain();
    });

    test('are not looked for while the answer to their event is sent', async () => {
      const installation = await world.install();
      const { hooks } = world.store;
      let looks = 0;
      const findDueInMs = (except: readonly string[]) => {
        looks += 1;
        return hooks.findDueInMs(except);
      };
      const store = { ...world.store, hooks: { ...hooks, findDueInMs } };
      const deliverer = await world.deliver(heard, { store });
      deliverer.start();
      // The first look, and when the next one is due.
      await expect.poll(() => looks).toBe(2);

      await world.append(installation, 'installed');
      await nextTurn();
      expect(looks).toBe(2);
      await passUntilCalled();
      expect(looks).toBeGreaterThan(2);
      await deliverer.drain();
    });

    test('one that ends while others are looked for is followed by the next', async () => {
      const [slow, quick] = [await world.install(), await world.install()];
      await world.append(slow, 'installed');
      await world.append(slow, 'tokensReceived');
      await world.append(quick, 'installed');
      const gate = Promise.withResolvers<void>();
      const { store } = world;
      const findDueInMs: typeof store.hooks.findDueInMs = async (except) => {
        const dueInMs = await store.hooks.findDueInMs(except);
        if (except.includes(slow.id) && !except.includes(quick.id)) {
          gate.resolve();
          await expect.poll(() => world.observed).toHaveLength(2);
        }
        return dueInMs;
      };
      const deliverer = await world.deliver(
        everyHook(({ installation }) => (installation.id === slow.id ? gate.promise : undefined)),
        { store: { ...store, hooks: { ...store.hooks, findDueInMs } } },
      );

      expect(await deliverer.runDue()).toBe(3);
    });

    test('S08: a hook that fails for hours, with 10,000 behind it, delays no other installation', async () => {
      const broken = await world.install();
      await world.append(broken, 'installed');
      await world.database.execute(`insert into hook_deliveries
        (installation_id, sequence, generation, event, data, occurred_at, state)
        with recursive rows (n) as (select 2 union all select n + 1 from rows where n < 10001)
        select '${broken.id}', n, 1, 'instanceAdded', '{}', 1, 'waiting' from rows`);
      const deliverer = await world.deliver(
        everyHook((delivery) => {
          calls.push(delivery);
          if (delivery.installation.id === broken.id) throw new Error('Away');
        }),
      );
      for (const delayMs of defaultHookPolicy.delaysMs.slice(0, 6)) {
        const other = await world.install();
        await world.append(other, 'installed');
        expect(await deliverer.runDue()).toBe(2);
        await world.pass(delayMs);
      }

      const ofBroken = calls.filter(({ installation }) => installation.id === broken.id);
      expect(ofBroken.map(({ sequence }) => sequence)).toEqual(Array(6).fill(1));
    });

    test('at most as many run at once as the policy says, and one of an installation', async () => {
      const installations = await Promise.all(Array.from({ length: 6 }, () => world.install()));
      for (const each of installations) {
        await world.append(each, 'installed');
        await world.append(each, 'tokensReceived');
      }
      const running = new Map<string, number>();
      let most = 0;
      const deliverer = await world.deliver(
        everyHook(async ({ installation: { id } }) => {
          expect(running.get(id) ?? 0).toBe(0);
          running.set(id, 1);
          most = Math.max(most, running.size);
          await new Promise(setImmediate);
          running.delete(id);
        }),
        { policy: { concurrency: 3 } },
      );

      expect(await deliverer.runDue()).toBe(12);
      expect(most).toBe(3);
    });

    test('S26: during a deployment, only the process that has the hook calls it', async () => {
      const installation = await world.install();
      await world.append(installation, 'recovered');
      const former = await world.deliver({ installed: heard.installed });
      const next = await world.deliver(heard);
      expect(await former.runDue()).toBe(0);
      await world.pass(30_000);

      expect(await next.runDue()).toBe(1);
      expect(told()).toEqual(['recovered 1']);
    });

    test('S26: a hook that was removed is parked after an hour', async () => {
      const installation = await world.install();
      await world.append(installation, 'recovered');
      await world.append(installation, 'installed');
      const deliverer = await world.deliver({ installed: heard.installed });
      await deliverer.runDue();
      await world.pass(hourMs);
      await deliverer.runDue();

      expect(told()).toEqual(['installed 1']);
      const [parked] = await world.store.hooks.listParked({ limit: 9 });
      expect(parked).toMatchObject({ event: 'recovered', lastError: 'no_handler', attempts: 0 });
    });

    test('a hook is called for installations of its own plug-in only', async () => {
      const key = { issuer: 'https://acme.example.com', tenantId: 't', pluginId: 'p' };
      const polls = await world.store.transaction(({ installations }) =>
        installations.begin(key, 1, 1, { plugin: 'polls' }),
      );
      await world.append(polls, 'installed');
      const other: AnyDelivery[] = [];
      const deliverer = await world.deliver(heard, {
        hooks: { polls: heard, lunch: everyHook((delivery) => void other.push(delivery)) },
      });

      expect(await deliverer.runDue()).toBe(1);
      expect(told()).toEqual(['installed 1']);
      expect(other).toEqual([]);
    });

    test('an observer or a log that throws changes nothing', async () => {
      const installation = await world.install();
      await world.append(installation, 'installed');
      const fail = () => {
        throw new Error('Full');
      };
      const log = { debug: fail, info: fail, warn: fail, error: fail };
      const deliverer = await world.deliver(heard, { observe: fail, log });

      expect(await deliverer.runDue()).toBe(1);
      expect(await (await world.deliver(heard)).runDue()).toBe(0);
    });
  });
}

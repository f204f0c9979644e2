import type { Installation } from '@dowel/installation-store';
import { usualDatabases } from '@dowel/installation-store/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type NamedInstallation, PlatformError } from '../base/platform-error.ts';
import { type Hooks, ParkHook } from './hooks.ts';
import { defaultHookPolicy } from './policy.ts';
import {
  type AnyDelivery,
  createHookWorld,
  everyHook,
  type HookWorld,
  leaseMs,
} from './testing/hook-world.ts';

for (const kind of usualDatabases) {
  describe.skipIf(!kind.isAvailable)(`hooks on ${kind.name}`, () => {
    let world: HookWorld;
    let calls: AnyDelivery[];
    let heard: Hooks;
    let told: () => string[];

    beforeEach(async () => {
      world = await createHookWorld(kind);
      ({ calls, heard, told } = world);
    });

    afterEach(() => world.close());

    test('one that throws is called again with the same id, and holds up its own stream only', async () => {
      const [one, other] = [await world.install(), await world.install()];
      const id = await world.append(one, 'installed');
      await world.append(one, 'tokensReceived');
      await world.append(other, 'installed');
      const failing = everyHook((delivery) => {
        calls.push(delivery);
        if (delivery.id === id && delivery.attempt === 1) throw new Error('Not yet');
      });
      const deliverer = await world.deliver(failing);

      expect(await deliverer.runDue()).toBe(2);
      await world.pass(defaultHookPolicy.delaysMs[0] ?? 0);
      expect(await deliverer.runDue()).toBe(2);
      const ofOne = calls.filter(({ installation }) => installation.id === one.id);
      expect(ofOne.map(({ event, attempt }) => `${event} ${attempt}`)).toEqual([
        'installed 1',
        'installed 2',
        'tokensReceived 1',
      ]);
      expect(ofOne[1]?.id).toBe(id);
    });

    test('one that fails eight times is parked, and the next one is delivered', async () => {
      const installation = await world.install();
      const id = await world.append(installation, 'installed');
      await world.append(installation, 'tokensReceived');
      const deliverer = await world.deliver(
        everyHook((delivery) => {
          calls.push(delivery);
          if (delivery.event === 'installed') throw new Error('Never');
        }),
      );
      for (const delayMs of [...defaultHookPolicy.delaysMs, 0]) {
        await deliverer.runDue();
        await world.pass(delayMs);
      }

      expect(calls.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 1]);
      const [parked] = await world.store.hooks.listParked({ limit: 9 });
      expect(parked).toMatchObject({ id, attempts: 8, lastError: 'Error: Never' });
      expect(world.observed.map(({ type }) => type)).toEqual([
        ...Array(7).fill('hook.failed'),
        'hook.parked',
        'hook.delivered',
      ]);
    });

    test('S11: one whose life has ended is superseded at the first attempt, and the next life is not kept waiting', async () => {
      const installation = await world.install();
      await world.append(installation, 'installed');
      const next = await world.installAgain(installation);
      await world.append(installation, 'uninstalled');
      await world.append(next, 'installed');
      const deliverer = await world.deliver(
        everyHook((delivery) => {
          calls.push(delivery);
          const isOver = delivery.installation.generation === installation.generation;
          if (delivery.event === 'installed' && isOver) {
            const { id, generation } = delivery.installation;
            throw new PlatformError('INSTALLATION_ENDED', 'This life has ended', {
              installation: { id, generation },
            });
          }
        }),
      );

      await deliverer.runDue();

      expect(calls.map(({ event, installation: { generation } }) => [event, generation])).toEqual([
        ['installed', 1],
        ['uninstalled', 1],
        ['installed', 2],
      ]);
      expect(world.observed.map(({ type }) => type)).toEqual([
        'hook.superseded',
        'hook.delivered',
        'hook.delivered',
      ]);
      expect(await world.store.hooks.listParked({ limit: 9 })).toEqual([]);
    });

    test.each<[string, (own: Installation) => NamedInstallation]>([
      ['another installation', ({ generation }) => ({ id: 'another', generation })],
      ['an earlier life', ({ id }) => ({ id, generation: 0 })],
    ])(
      'a call that finds %s ended fails the attempt, and the hook is called again',
      async (_whose, name) => {
        const own = await world.install();
        await world.append(own, 'installed');
        const deliverer = await world.deliver(
          everyHook((delivery) => {
            calls.push(delivery);
            if (delivery.attempt > 1) return;
            throw new PlatformError('INSTALLATION_ENDED', 'It has ended', {
              installation: name(own),
            });
          }),
        );

        await deliverer.runDue();
        await world.pass(2 * (defaultHookPolicy.delaysMs[0] ?? 0));
        await deliverer.runDue();

        expect(calls.map(({ attempt }) => attempt)).toEqual([1, 2]);
        expect(world.observed.map(({ type }) => type)).toEqual(['hook.failed', 'hook.delivered']);
      },
    );

    test('the line of a failure says when the hook is called again', async () => {
      await world.append(await world.install(), 'installed');
      const warned: object[] = [];
      const warn = (fields: object | string) => void warned.push(Object(fields));
      const deliverer = await world.deliver(
        everyHook(() => {
          throw new Error('Not yet');
        }),
        { log: { debug() {}, info() {}, warn, error() {} } },
      );
      await deliverer.runDue();

      expect(warned).toMatchObject([{ event: 'installed', attempt: 1, retryInMs: 5_000 }]);
    });

    test('ParkHook parks a delivery at once, and a replay has isReplay', async () => {
      const installation = await world.install();
      const id = await world.append(installation, 'installed');
      let isFixed = false;
      const deliverer = await world.deliver(
        everyHook((delivery) => {
          calls.push(delivery);
          if (!isFixed) throw new ParkHook('The account is missing');
        }),
      );
      await deliverer.runDue();
      isFixed = true;
      expect(await world.store.hooks.replay(id)).toBe('queued');
      await deliverer.runDue();

      expect(calls.map(({ attempt, isReplay }) => [attempt, isReplay])).toEqual([
        [1, false],
        [1, true],
      ]);
    });

    test('the attempt is settled for any thrown value', async () => {
      const unreadable = Object.defineProperty(new Error('Hi'), 'message', {
        get() {
          throw new Error('No');
        },
      });
      const thrown = [Object.create(null), undefined, Symbol('x'), unreadable, null];
      const installation = await world.install();
      await world.append(installation, 'installed');
      const deliverer = await world.deliver(
        everyHook(() => {
          throw thrown.shift();
        }),
        { policy: { delaysMs: [0, 0, 0, 0] } },
      );

      expect(await deliverer.runDue()).toBe(5);

      const [parked] = await world.store.hooks.listParked({ limit: 1 });
      expect(parked).toMatchObject({ attempts: 5, lastError: 'null was thrown' });
    });

    test('the wait is as long as the platform asks for', async () => {
      const installation = await world.install();
      await world.append(installation, 'installed');
      const deliverer = await world.deliver(
        everyHook((delivery) => {
          calls.push(delivery);
          const retryAfterMs = 1_800_000;
          throw new PlatformError('OVERLOADED', 'Too many calls', { retryAfterMs });
        }),
      );
      await deliverer.runDue();
      // Real time passes too, and more of it on a busy machine.
      await world.pass(1_200_000);
      expect(await deliverer.runDue()).toBe(0);
      await world.pass(600_000);
      expect(await deliverer.runDue()).toBe(1);
    });

    test('S10: one that kills its process each time is parked after eight starts', async () => {
      const [installation, other] = [await world.install(), await world.install()];
      await world.append(installation, 'installed');
      for (let start = 1; start <= 8; start += 1) {
        // The process dies after the claim.
        await world.store.hooks.claim({
          owner: `process ${start}`,
          limit: 9,
          leaseMs,
          except: [],
          handles: () => true,
        });
        await world.pass(leaseMs);
      }
      await world.append(installation, 'tokensReceived');
      await world.append(other, 'installed');
      const deliverer = await world.deliver(heard);
      await deliverer.runDue();

      expect(told().toSorted()).toEqual(['installed 1', 'tokensReceived 1']);
      expect(calls.find(({ event }) => event === 'installed')?.installation.id).toBe(other.id);
      const [parked] = await world.store.hooks.listParked({ limit: 9 });
      expect(parked?.lastError).toBe(
        'ParkHook: Tried 8 times; hookPolicy.delaysMs allows 8. The last attempt ended with its process, or the policy allowed more',
      );
    });

    test('one that has failed more often than a shortened policy allows says so', async () => {
      const installation = await world.install();
      await world.append(installation, 'installed');
      const failing = everyHook((delivery) => {
        calls.push(delivery);
        throw new Error('Not yet');
      });
      const former = await world.deliver(failing);
      await former.runDue();
      await world.pass(defaultHookPolicy.delaysMs[0] ?? 0);
      await former.runDue();
      await world.pass(defaultHookPolicy.delaysMs[1] ?? 0);

      await (await world.deliver(failing, { policy: { delaysMs: [] } })).runDue();

      expect(calls).toHaveLength(2);
      const [parked] = await world.store.hooks.listParked({ limit: 9 });
      expect(parked?.lastError).toContain('Tried 2 times; hookPolicy.delaysMs allows 1.');
    });

    test('S11: a replay of installed after the uninstall is superseded, without a call', async () => {
      const installation = await world.install();
      const id = await world.append(installation, 'installed');
      const parking = await world.deliver(
        everyHook(() => {
          throw new ParkHook('No');
        }),
      );
      await parking.runDue();
      await world.store.transaction(({ installations }) =>
        installations.uninstall(installation, 2),
      );
      expect(await world.store.hooks.replay(id)).toBe('superseded');
      const deliverer = await world.deliver(heard);

      expect(await deliverer.runDue()).toBe(0);
      expect(calls).toEqual([]);
    });
  });
}

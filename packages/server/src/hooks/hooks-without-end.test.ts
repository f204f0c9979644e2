import { usualDatabases } from '@dowel/installation-store/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Hooks, ParkHook } from './hooks.ts';
import { defaultHookPolicy } from './policy.ts';
import {
  type AnyDelivery,
  createHookWorld,
  everyHook,
  type HookWorld,
  leaseMs,
} from './testing/hook-world.ts';

const minuteMs = 60_000;
const hourMs = 60 * 60_000;

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

    test('ones that never end are not waited for after drain', async () => {
      await world.append(await world.install(), 'installed');
      const lines: string[] = [];
      const note = (_fields: unknown, line?: string) => void lines.push(line ?? '');
      const hanging = everyHook(async (delivery) => {
        calls.push(delivery);
        await new Promise(() => {});
      });
      const log = { debug: note, info: note, warn: note, error: note };
      const deliverer = await world.deliver(hanging, { log });
      const attempts = deliverer.runDue();
      await expect.poll(() => calls.length).toBe(1);
      await world.pass(defaultHookPolicy.timeoutMs);
      await attempts;

      await deliverer.drain();
      await world.pass(hourMs);

      expect(lines).not.toContain('hook.never_ended');
    });

    test('S09: one that never returns is aborted, and is not called again before it has ended', async () => {
      const [installation, other] = [await world.install(), await world.install()];
      await world.append(installation, 'installed');
      const hanging = Promise.withResolvers<void>();
      const started = Promise.withResolvers<void>();
      const deliverer = await world.deliver(
        everyHook((delivery) => {
          calls.push(delivery);
          if (delivery.installation.id !== installation.id) return undefined;
          started.resolve();
          return hanging.promise;
        }),
      );
      const running = deliverer.runDue();
      await started.promise;
      await world.pass(defaultHookPolicy.timeoutMs);
      expect(await running).toBe(1);
      expect(calls[0]?.signal.reason).toMatchObject({ name: 'TimeoutError' });
      expect(world.observed).toMatchObject([{ type: 'hook.failed', attempt: 1 }]);

      await world.append(other, 'installed');
      await world.pass(minuteMs);
      expect(await deliverer.runDue()).toBe(1);
      hanging.resolve();
      await expect.poll(() => deliverer.runDue()).toBe(1);
      expect(told()).toEqual(['installed 1', 'installed 1', 'installed 2']);
    });

    test('ones that never end are reported, delay others for minutes only, and are parked in the end', async () => {
      for (let count = 0; count < 4; count += 1) {
        await world.append(await world.install(), 'installed');
      }
      const healthy = await world.install();
      await world.append(healthy, 'installed');
      const lines: string[] = [];
      const note = (_fields: unknown, line?: string) => void lines.push(line ?? '');
      const deliverer = await world.deliver(
        everyHook(async (delivery) => {
          calls.push(delivery);
          if (delivery.installation.id !== healthy.id) await new Promise(() => {});
        }),
        {
          policy: { concurrency: 1, delaysMs: [0] },
          log: { debug: note, info: note, warn: note, error: note },
        },
      );
      /** Lets each hook time out until nothing is claimed any more. */
      const runAll = async () => {
        let isOver = false;
        const attempts = deliverer.runDue().finally(() => {
          isOver = true;
        });
        for (let seen = calls.length; !isOver; seen = calls.length) {
          await expect.poll(() => isOver || calls.length > seen).toBe(true);
          await world.pass(defaultHookPolicy.timeoutMs);
        }
        return attempts;
      };

      expect(await runAll()).toBe(4);
      expect(await deliverer.runDue()).toBe(0);
      expect(lines.filter((line) => line === 'hooks.stuck')).toHaveLength(1);

      await world.pass(300_000);
      expect(lines.filter((line) => line === 'hook.never_ended')).toHaveLength(4);
      expect(await runAll()).toBe(5);
      expect(told().filter((each) => each === 'installed 2')).toHaveLength(4);
      expect(await world.store.hooks.listParked({ limit: 10 })).toHaveLength(4);
    });

    test('S07: a worker beyond its lease changes nothing when it ends', async () => {
      const installation = await world.install();
      await world.append(installation, 'installed');
      const slow = Promise.withResolvers<void>();
      const started = Promise.withResolvers<void>();
      const late = await world.deliver(
        everyHook(() => {
          started.resolve();
          return slow.promise;
        }),
      );
      const running = late.runDue();
      await started.promise;
      // The database's clock only: the worker itself was paused.
      await world.database.shiftClock(leaseMs);
      const current = await world.deliver(heard);
      expect(await current.runDue()).toBe(1);
      expect(told()).toEqual(['installed 2']);
      slow.reject(new ParkHook('too late'));
      await running;

      expect(await world.store.hooks.listParked({ limit: 9 })).toEqual([]);
      expect(world.observed.map(({ type }) => type)).toEqual(['hook.delivered']);
    });

    test('drain waits for a hook that runs, and claims nothing any more', async () => {
      const installation = await world.install();
      await world.append(installation, 'installed');
      await world.append(installation, 'tokensReceived');
      const slow = Promise.withResolvers<void>();
      const started = Promise.withResolvers<void>();
      const deliverer = await world.deliver(
        everyHook((delivery) => {
          calls.push(delivery);
          started.resolve();
          return slow.promise;
        }),
      );
      deliverer.start();
      await started.promise;
      const drained = deliverer.drain();
      slow.resolve();
      await drained;

      expect(told()).toEqual(['installed 1']);
      expect(await (await world.deliver(heard)).runDue()).toBe(1);
      expect(told()).toEqual(['installed 1', 'tokensReceived 1']);
    });

    test('S27: after its patience, drain aborts the hook, and another process calls it again', async () => {
      const installation = await world.install();
      await world.append(installation, 'installed');
      const started = Promise.withResolvers<void>();
      const deliverer = await world.deliver(
        everyHook((delivery) => {
          calls.push(delivery);
          started.resolve();
          return new Promise(() => {});
        }),
      );
      deliverer.start();
      await started.promise;
      let isDrained = false;
      const drained = deliverer.drain({ graceMs: 12_000 }).then(() => {
        isDrained = true;
      });
      await expect
        .poll(() => {
          world.advance(1_000);
          return isDrained;
        })
        .toBe(true);
      await drained;
      expect(calls[0]?.signal.aborted).toBe(true);

      await world.pass(leaseMs);
      expect(await (await world.deliver(heard)).runDue()).toBe(1);
      expect(told()).toEqual(['installed 1', 'installed 2']);
      // The end of a process is no failure of the hook.
      expect(world.observed.map(({ type }) => type)).toEqual(['hook.delivered']);
    });
  });
}

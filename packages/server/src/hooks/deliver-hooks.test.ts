/** The delivery of hooks: order, failures, time-outs, crashes, replays, several processes. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { testDatabases } from '@dowel/installation-store/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PlatformError } from '../platform-error.ts';
import { ParkHook } from './hooks.ts';
import { defaultHookPolicy } from './policy.ts';
import {
  type AnyDelivery,
  createHookWorld,
  everyHook,
  type HookWorld,
} from './testing/hook-world.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const leaseMs = defaultHookPolicy.timeoutMs + 15_000;

describe.each(testDatabases)('hooks on $name', (kind) => {
  describe.skipIf(!kind.isAvailable)('', () => {
    let world: HookWorld;
    let calls: AnyDelivery[];
    const heard = everyHook((delivery) => void calls.push(delivery));
    const told = () => calls.map(({ event, attempt }) => `${event} ${attempt}`);

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
      calls = [];
    });

    afterEach(() => world.close());

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

    test('one that fails eight times is parked, and the next one is told', async () => {
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

    test('whatever a hook throws, the attempt is settled', async () => {
      const thrown = [Object.create(null), undefined, Symbol('x'), 'text'];
      const installation = await world.install();
      await world.append(installation, 'installed');
      const deliverer = await world.deliver(
        everyHook(() => {
          throw thrown.shift();
        }),
        { policy: { delaysMs: [0, 0, 0] } },
      );

      expect(await deliverer.runDue()).toBe(4);

      const [parked] = await world.store.hooks.listParked({ limit: 1 });
      expect(parked).toMatchObject({ attempts: 4, lastError: 'text' });
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
      // Real time passes as well, on a busy machine more of it.
      await world.pass(1_200_000);
      expect(await deliverer.runDue()).toBe(0);
      await world.pass(600_000);
      expect(await deliverer.runDue()).toBe(1);
    });

    test('one that never returns is aborted, and is not called again before it has ended', async () => {
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
      expect(calls[0]?.signal.aborted).toBe(true);
      expect(world.observed).toMatchObject([{ type: 'hook.failed', attempt: 1 }]);

      await world.append(other, 'installed');
      await world.pass(minuteMs);
      expect(await deliverer.runDue()).toBe(1);
      hanging.resolve();
      await expect.poll(() => deliverer.runDue()).toBe(1);
      expect(told()).toEqual(['installed 1', 'installed 1', 'installed 2']);
    });

    test('ones that never end are told of, hold others up for minutes only, and are parked in the end', async () => {
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
      /** Passes each hook's time until nothing is claimed any more. */
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

    test('a worker beyond its lease changes nothing when it ends', async () => {
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

    test('one that kills its process each time is parked after eight starts', async () => {
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
      expect(parked?.lastError).toBe('ParkHook: The process ended during each attempt');
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

    test('a hook that fails for hours, with 10,000 behind it, holds up nobody else', async () => {
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

    test('a replay of installed after the uninstall is superseded, without a call', async () => {
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

    test('during a deployment, only the process that has the hook calls it', async () => {
      const installation = await world.install();
      await world.append(installation, 'recovered');
      const former = await world.deliver({ installed: heard.installed });
      const next = await world.deliver(heard);
      expect(await former.runDue()).toBe(0);
      await world.pass(30_000);

      expect(await next.runDue()).toBe(1);
      expect(told()).toEqual(['recovered 1']);
    });

    test('a hook that was removed is parked after an hour', async () => {
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

    test('after its patience, drain aborts the hook, and another process calls it again', async () => {
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
});

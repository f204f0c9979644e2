/** The plug-in's `beforeInstall`: asked before a life begins, by the process that has the event's claim. */
import { randomUUID } from 'node:crypto';
import { systemTimer } from '@dowel/http';
import { usualDatabases } from '@dowel/installation-store/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { InstallAttempt } from './admit-life.ts';
import type { LifecycleOptions } from './lifecycle.ts';
import {
  createAccessTokenEvent,
  createEvent,
  createLifecycleWorld,
  type LifecycleWorld,
} from './testing/lifecycle-world.ts';
import { appendChange, readOutbox } from './testing/read-outbox.ts';

for (const { name, isAvailable, create } of usualDatabases) {
  describe.skipIf(!isAvailable)(`beforeInstall on ${name}`, () => {
    let world: LifecycleWorld;
    /** The attempts, in order. */
    let attempts: InstallAttempt[];
    let hook: (attempt: InstallAttempt) => Promise<void> | void;

    beforeEach(async () => {
      world = await createLifecycleWorld(await create());
      attempts = [];
      hook = () => {};
    });

    afterEach(() => world.stop());

    const start = (options: Partial<LifecycleOptions> = {}) =>
      world.start({
        applied: appendChange,
        usableAt: 'install',
        beforeInstall(attempt) {
          attempts.push(attempt);
          return hook(attempt);
        },
        ...options,
      });

    const install = (iat = 100) => createEvent('install', { iat });
    const told = async () => (await readOutbox(world.store)).map(({ event }) => event);

    test('is asked once about a life, and a live installation is not asked about again', async () => {
      const lifecycle = await start();
      expect(await lifecycle.accept(install())).toMatchObject({ status: 201 });
      expect(attempts[0]).toMatchObject({
        isReinstall: false,
        installation: { generation: 1, status: 'pending' },
      });
      expect(await world.find()).toMatchObject({ awaitsAdmission: false });

      await lifecycle.accept(install());
      await lifecycle.accept(install(101));
      await lifecycle.accept(createAccessTokenEvent('c1', { iat: 102 }));
      expect(attempts).toHaveLength(1);
      expect((await told())[0]).toBe('installed');
    });

    test('is asked about a life that an access_token event begins, before its code is sent', async () => {
      const lifecycle = await start({ usableAt: 'tokens' });
      hook = () => expect(world.exchangedCodes).toEqual([]);
      expect(await lifecycle.accept(createAccessTokenEvent('c1'))).toMatchObject({ status: 201 });
      await lifecycle.accept(createAccessTokenEvent('c2', { iat: 110 }));

      expect(attempts).toHaveLength(1);
      expect(await told()).toEqual(['installed', 'tokensReceived']);
    });

    test('S12: two copies at once run it once, and get the same answer', async () => {
      const [first, second] = [await start(), await start()];
      const asked = Promise.withResolvers<void>();
      const decision = Promise.withResolvers<void>();
      hook = () => {
        asked.resolve();
        return decision.promise;
      };
      const answers = [first.accept(install())];
      await asked.promise;
      answers.push(second.accept(install()), first.accept(install()));
      decision.resolve();

      for (const answer of await Promise.all(answers)) expect(answer.status).toBe(201);
      expect(attempts).toHaveLength(1);
      expect(await told()).toEqual(['installed']);
    });

    test('S12: a refusal is answered alike again without running it, and ends the life', async () => {
      const [first, second] = [await start(), await start()];
      hook = ({ refuse }) => refuse('Please\u0000 buy a licence first');
      const event = createAccessTokenEvent('c1');
      const answer = { status: 400, reason: 'hook_refused' };
      const body = { code: 400, message: 'Please  buy a licence first' };
      expect(await first.accept(event)).toMatchObject({ ...answer, body });
      expect(await second.accept(event)).toMatchObject({ ...answer, body });
      expect(await second.accept({ ...event, iat: event.iat + 1 })).toMatchObject({
        ...answer,
        body,
      });

      expect(attempts).toHaveLength(1);
      expect(world.exchangedCodes).toEqual([]);
      expect(await world.find()).toMatchObject({ status: 'uninstalled', usableGeneration: 0 });
      // The plug-in wanted it so: nothing is broken.
      expect((await world.store.reports.countFleet(Date.now())).states).toMatchObject({
        install_refused: 0,
        uninstalled: 1,
      });
      expect(await told()).toEqual([]);
    });

    test('a refusal counts although the hook catches it, and its text is at most 200 characters', async () => {
      const lifecycle = await start();
      hook = ({ refuse }) => {
        try {
          refuse('x'.repeat(500));
        } catch {
          // Swallowed.
        }
      };
      const { status, body } = await lifecycle.accept(install());

      expect(status).toBe(400);
      expect(body).toEqual({ code: 400, message: 'x'.repeat(200) });
    });

    test.each([[undefined], [7], [new Error('No')]])(
      'a refusal by %s, which is no text, has the usual text',
      async (message) => {
        const lifecycle = await start();
        hook = ({ refuse }) => refuse(message as never);

        expect(await lifecycle.accept(install())).toMatchObject({
          status: 400,
          reason: 'hook_refused',
          body: { code: 400, message: 'The plug-in refused the installation' },
        });
        expect(await world.find()).toMatchObject({ status: 'uninstalled' });
      },
    );

    test('a refusal whose text ends within a character is answered alike again', async () => {
      const lifecycle = await start();
      hook = ({ refuse }) => refuse(`${'x'.repeat(199)}🙂`);

      const { body } = await lifecycle.accept(install());

      expect(body).toEqual({ code: 400, message: 'x'.repeat(199) });
      expect((await lifecycle.accept(install())).body).toEqual(body);
    });

    test('after a refusal, a newer install is asked about again', async () => {
      const lifecycle = await start();
      hook = ({ refuse }) => refuse('Not yet');
      await lifecycle.accept(install());
      hook = () => {};

      expect(await lifecycle.accept(install(101))).toMatchObject({ status: 201 });
      expect(attempts.map(({ isReinstall }) => isReinstall)).toEqual([false, false]);
      expect(await told()).toEqual(['installed']);
    });

    test('an earlier life that was usable makes the next one a re-install', async () => {
      const lifecycle = await start();
      await lifecycle.accept(install());
      await lifecycle.accept(createEvent('uninstall', { iat: 110 }));
      await lifecycle.accept(install(120));

      expect(attempts.map(({ isReinstall }) => isReinstall)).toEqual([false, true]);
    });

    test('a throw decides nothing, and another delivery succeeds', async () => {
      const lifecycle = await start();
      hook = () => {
        throw new Error('The licence server is away');
      };
      const failed = { status: 503, reason: 'hook_failed', retryAfterSeconds: 5 };
      expect(await lifecycle.accept(install())).toMatchObject(failed);
      expect(await lifecycle.accept(install())).toMatchObject(failed);
      expect(await told()).toEqual([]);
      hook = () => {};

      expect(await lifecycle.accept(install())).toMatchObject({ status: 201 });
      expect(attempts).toHaveLength(3);
      expect(await told()).toEqual(['installed']);
    });

    test('until it accepts, the installation opens no session', async () => {
      const lifecycle = await start();
      hook = () => Promise.reject(new Error('Not now'));
      await lifecycle.accept(install());

      const { issuer = '', tenantId = '', awaitsAdmission } = (await world.find()) ?? {};
      expect(awaitsAdmission).toBe(true);
      expect(await world.store.installations.findByInstance(issuer, tenantId, 'any')).toEqual({
        outcome: 'tenant_unknown',
      });
    });

    test('a life that it has not let in begins with the next install after it was removed', async () => {
      const lifecycle = await start();
      hook = () => Promise.reject(new Error('Not now'));
      await lifecycle.accept(install());
      const without = await start({ beforeInstall: undefined });

      expect(await without.accept(install())).toMatchObject({ status: 201 });

      const { issuer, tenantId, awaitsAdmission } = await world.findInstalled();
      expect(awaitsAdmission).toBe(false);
      expect(await world.store.installations.findByInstance(issuer, tenantId, 'any')).toMatchObject(
        { outcome: 'found' },
      );
      expect(await told()).toEqual(['installed']);
    });

    test('S12: one that hangs is aborted after its time, and another delivery succeeds', async () => {
      const lifecycle = await start({ beforeInstallMs: 5 });
      hook = () => new Promise(() => {});
      expect(await lifecycle.accept(install())).toMatchObject({
        status: 503,
        reason: 'hook_timed_out',
      });
      expect(attempts[0]?.signal.aborted).toBe(true);
      hook = () => {};

      expect(await lifecycle.accept(install())).toMatchObject({ status: 201 });
    });

    test('at most 32 run at once', async () => {
      const lifecycle = await start();
      const decision = Promise.withResolvers<void>();
      const full = Promise.withResolvers<void>();
      hook = () => {
        if (attempts.length === 32) full.resolve();
        return decision.promise;
      };
      const installs = Array.from({ length: 32 }, () =>
        lifecycle.accept(createEvent('install', { tenantId: randomUUID() })),
      );
      await full.promise;
      expect(await lifecycle.accept(install())).toMatchObject({
        status: 503,
        reason: 'hooks_full',
      });
      decision.resolve();

      for (const answer of await Promise.all(installs)) expect(answer.status).toBe(201);
    });

    test('those that never end are given up five minutes after their time', async () => {
      let passedMs = 0;
      const timer = { ...systemTimer, monotonic: () => systemTimer.monotonic() + passedMs };
      const lifecycle = await start({ beforeInstallMs: 1, timer });
      hook = () => new Promise(() => {});
      const installs = Array.from({ length: 32 }, () =>
        lifecycle.accept(createEvent('install', { tenantId: randomUUID() })),
      );
      for (const answer of await Promise.all(installs)) expect(answer.status).toBe(503);
      hook = () => {};
      passedMs = 240_000;
      expect(await lifecycle.accept(install())).toMatchObject({ reason: 'hooks_full' });
      passedMs = 301_000;

      expect(await lifecycle.accept(install())).toMatchObject({ status: 201 });
    });

    test('a refusal does not end a life that another event has let in meanwhile', async () => {
      const lifecycle = await start({ usableAt: 'tokens' });
      hook = async ({ refuse }) => {
        hook = () => {};
        const answer = await lifecycle.accept(createAccessTokenEvent('c1', { iat: 101 }));
        expect(answer).toMatchObject({ status: 201 });
        refuse('Too late');
      };

      expect(await lifecycle.accept(install())).toMatchObject({ status: 201 });
      expect(attempts).toHaveLength(2);
      expect(await world.find()).toMatchObject({ status: 'active', awaitsAdmission: false });
      expect(await told()).toEqual(['installed']);
    });

    test('a refusal counts although the hook goes on beyond its time', async () => {
      const lifecycle = await start({ beforeInstallMs: 5 });
      hook = ({ refuse }) => {
        try {
          refuse('No');
        } catch {
          return new Promise(() => {});
        }
      };

      expect(await lifecycle.accept(install())).toMatchObject({
        status: 400,
        reason: 'hook_refused',
      });
    });

    test('an uninstall during the wait ends the life', async () => {
      const lifecycle = await start();
      const other = await start({ beforeInstall: undefined });
      hook = async () => {
        expect(await other.accept(createEvent('uninstall', { iat: 105 }))).toMatchObject({
          status: 201,
        });
      };

      expect(await lifecycle.accept(install())).toMatchObject({
        status: 400,
        reason: 'after_uninstall',
      });
      expect(await told()).toEqual([]);
    });

    test.each([0, 1_500.5, 10_001])('its time is 1 to 10,000 ms, not %d', async (ms) => {
      await expect(start({ beforeInstallMs: ms })).rejects.toThrow(
        `beforeInstallMs must be a whole number of milliseconds from 1 to 10000, not ${ms}`,
      );
    });
  });
}

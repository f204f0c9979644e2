/** Which life an event belongs to, while other events are in progress, on each kind of database. */
import { usualDatabases } from '@dowel/installation-store/testing';
import { createTokenClient, TokenRequestError } from '@dowel/token-client';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Lifecycle } from './lifecycle.ts';
import {
  createAccessTokenEvent,
  createEvent,
  createLifecycleWorld,
  issuer,
  type LifecycleWorld,
  tenantId,
} from './testing/lifecycle-world.ts';

const ended = { status: 400, reason: 'after_uninstall' };
const refused = { status: 400, reason: 'exchange_rejected' };
const postponed = { status: 503, reason: 'exchange_failed' };
const taken = { status: 201, reason: null };

const grantAll = () =>
  Response.json({ access_token: 'token', token_type: 'bearer', scope: 'plugin:notify' });
const refuseAll = () => Response.json({ error: 'invalid_grant' }, { status: 400 });

for (const { name, isAvailable, create } of usualDatabases) {
  describe.skipIf(!isAvailable)(`on ${name}`, () => {
    let world: LifecycleWorld;
    let lifecycle: Lifecycle;

    beforeEach(async () => {
      world = await createLifecycleWorld(await create());
      lifecycle = await world.start();
    });

    afterEach(() => world.stop());

    const findInstance = (instanceId: string) =>
      world.store.installations.findByInstance(issuer, tenantId, instanceId, {
        unmatched: 'refuse',
      });
    const install = (iat: number) => lifecycle.accept(createEvent('install', { iat }));
    const uninstall = (iat: number) => lifecycle.accept(createEvent('uninstall', { iat }));
    const token = (code: string, iat: number) =>
      lifecycle.accept(createAccessTokenEvent(code, { iat, jti: `${code} ${iat}` }));
    const add = (instanceId: string, iat: number) =>
      lifecycle.accept(createEvent('instance_add', { instanceId, iat }));

    const refuse = async () => {
      throw new TokenRequestError('invalid_grant', { rejected: true });
    };
    const postpone = async () => {
      throw new TokenRequestError('temporarily_unavailable');
    };

    /** Delays the exchange of a code until the test gives its answer. */
    function hold(code: string) {
      const sent = Promise.withResolvers<void>();
      const answered = Promise.withResolvers<object>();
      const { redeem } = world;
      world.redeem = (each) => {
        if (each !== code) return redeem(each);
        sent.resolve();
        return answered.promise;
      };
      return { sent: sent.promise, grant: () => answered.resolve({}), fail: answered.reject };
    }

    describe('instances', () => {
      test.each(['instance_add', 'instance_remove'] as const)(
        '%s of an unknown installation must be sent again',
        async (name) => {
          const early = createEvent(name, { instanceId: 'early', iat: 110 });

          expect(await lifecycle.accept(early)).toMatchObject({
            status: 503,
            reason: 'not_installed',
            retryAfterSeconds: 5,
          });
          expect(await world.find()).toBeUndefined();
        },
      );

      test('a widget that was placed before its install arrived counts when both have arrived', async () => {
        await add('early', 110);
        await install(100);
        await add('other', 120);

        expect(await add('early', 110)).toMatchObject(taken);
        expect(await findInstance('early')).toMatchObject({ outcome: 'found' });
      });

      test('a widget that was placed after an uninstall counts in the life whose install comes later', async () => {
        await install(100);
        await add('first', 110);
        await uninstall(200);

        expect(await add('second', 310)).toMatchObject(taken);
        expect(await world.find()).toMatchObject({ status: 'uninstalled' });
        await install(300);
        expect(await findInstance('second')).toMatchObject({ outcome: 'found' });
        expect(await findInstance('made-up')).toEqual({ outcome: 'instance_unknown' });
      });

      test('a widget that was placed after an uninstall that arrived first counts, too', async () => {
        await uninstall(200);

        expect(await add('early', 310)).toMatchObject(taken);
        await install(300);
        expect(await findInstance('early')).toMatchObject({ outcome: 'found' });
      });

      test('a removal that was signed after an uninstall is accepted and recorded', async () => {
        await install(100);
        await add('one', 110);
        await uninstall(200);
        const removal = createEvent('instance_remove', { instanceId: 'one', iat: 310 });

        expect(await lifecycle.accept(removal)).toMatchObject(taken);
        await install(300);
        expect(await findInstance('one')).toEqual({ outcome: 'instance_unknown' });
      });

      test('C09: an addition of a widget that arrives after the end of its life does not count', async () => {
        await install(100);
        await uninstall(200);
        await add('other', 310);

        expect(await add('late', 150)).toMatchObject(ended);
        expect(await add('late', 200)).toMatchObject(ended);
        await install(300);
        expect(await findInstance('late')).toEqual({ outcome: 'instance_unknown' });
      });
    });

    describe('codes', () => {
      test('a late uninstall does not affect a code that was signed after it', async () => {
        await install(100);
        world.redeem = postpone;
        expect(await token('next', 300)).toMatchObject(postponed);

        expect(await uninstall(200)).toMatchObject(taken);
        expect(await world.find()).toMatchObject({ status: 'uninstalled' });

        world.redeem = async () => ({});
        expect(await token('next', 300)).toMatchObject(taken);
        expect(await world.storedToken()).toBe('access of next');
      });

      test('C10: an uninstall revokes the acceptance of a code whose tokens it deletes', async () => {
        await install(100);
        await token('c1', 203);

        await uninstall(200);

        expect(await world.find()).toMatchObject({ status: 'uninstalled' });
        expect(await token('c1', 203)).toMatchObject(ended);
      });

      test('C10: a code counts from its first signature, however often it is signed again', async () => {
        world.redeem = postpone;
        await token('c1', 100);
        await token('c1', 300);
        await install(400);

        await uninstall(200);

        world.redeem = async () => ({});
        expect(await token('c1', 410)).toMatchObject(ended);
        expect(await world.find()).toMatchObject({ status: 'pending', appliedIat: null });
      });

      test('C10: tokens of a copy begin no life if an uninstall retired their code during the exchange', async () => {
        world.redeem = postpone;
        await token('c1', 100);
        world.redeem = async () => ({});
        const exchange = hold('c1');
        const answer = token('c1', 300);
        await exchange.sent;

        await uninstall(200);
        exchange.grant();

        expect(await answer).toMatchObject(ended);
        const { id = '', ...found } = (await world.find()) ?? {};
        expect(found).toMatchObject({ status: 'uninstalled', appliedIat: null });
        const page = { limit: 9, kinds: ['event'] as const };
        const { entries } = await world.store.reports.listTimeline(id, page);
        const ofCode = entries.filter(
          ({ entry }) => 'event' in entry && entry.event === 'access_token',
        );
        const reasons = ofCode.map(({ entry }) => 'reason' in entry && entry.reason);
        expect(reasons).toEqual(['after_uninstall', 'exchange_failed']);
      });

      test('an undecided code proves no life if its first copy is from an ended one', async () => {
        await uninstall(200);
        world.redeem = postpone;
        await token('c1', 300);
        expect(await world.find()).toMatchObject({ status: 'pending' });

        expect(await token('c1', 100)).toMatchObject(ended);

        expect(await world.find()).toMatchObject({ status: 'uninstalled' });
        expect(await token('c1', 310)).toMatchObject(ended);
      });

      test('C08: a code with an uninstall during its exchange stays refused if the exchange fails temporarily', async () => {
        await install(100);
        const exchange = hold('c1');
        const answer = token('c1', 110);
        await exchange.sent;

        await (await world.start()).accept(createEvent('uninstall', { iat: 200 }));
        exchange.fail(new TokenRequestError('temporarily_unavailable'));
        expect(await answer).toMatchObject(postponed);

        expect(await token('c1', 300)).toMatchObject(ended);
        expect(world.exchangedCodes).toEqual(['c1']);
      });

      test('tokens of a code that was signed after an uninstall during its exchange begin the next life', async () => {
        await install(100);
        const exchange = hold('next');
        const answer = token('next', 300);
        await exchange.sent;

        await (await world.start()).accept(createEvent('uninstall', { iat: 200 }));
        exchange.grant();

        expect(await answer).toMatchObject(taken);
        expect(await world.find()).toMatchObject({
          status: 'active',
          generation: 2,
          appliedIat: 300,
        });
        expect(await world.storedToken()).toBe('access of next');
      });

      test('a code that was signed after an uninstall is exchanged for the next life if its life ends before it is sent', async () => {
        await install(100);
        const scope = 'plugin:notify';
        const fetch = async () =>
          Response.json({ access_token: 'of-the-next-life', token_type: 'bearer', scope });
        const client = createTokenClient({ store: world.store, fetch });
        const uninstalls = [() => uninstall(200)];
        const { accept } = await world.start({
          tokenClient: {
            async acceptEvent(installation, event, options) {
              await uninstalls.pop()?.();
              return client.acceptEvent(installation, event, options);
            },
          },
        });

        const answer = await accept(createAccessTokenEvent('next', { iat: 300 }));

        expect(answer).toMatchObject(taken);
        expect(await world.find()).toMatchObject({ status: 'active', generation: 2 });
        expect(await world.storedToken()).toBe('of-the-next-life');
        await client.drain();
      });

      test('tokens of a code that was signed after the uninstall belong to the life that an install began in the meantime', async () => {
        await install(100);
        const exchange = hold('next');
        const answer = token('next', 300);
        await exchange.sent;

        const other = await world.start();
        await other.accept(createEvent('uninstall', { iat: 200 }));
        await other.accept(createEvent('install', { iat: 250 }));
        exchange.grant();

        expect(await answer).toMatchObject(taken);
        expect(await world.find()).toMatchObject({
          status: 'active',
          generation: 2,
          beganIat: 250,
        });
        expect(await world.storedToken()).toBe('access of next');
      });
    });

    describe('installs', () => {
      test('an install counts even if a newer, refused code began the life', async () => {
        await uninstall(200);
        const exchange = hold('newer');
        const answer = token('newer', 400);
        await exchange.sent;

        await (await world.start()).accept(createEvent('install', { iat: 300 }));
        exchange.fail(new TokenRequestError('invalid_grant', { rejected: true }));

        expect(await answer).toMatchObject(refused);
        expect(await world.find()).toMatchObject({ status: 'pending', beganIat: 300 });
      });

      test('an uninstall from before an install does not end its life, even if a newer code was refused', async () => {
        const exchange = hold('newer');
        const answer = token('newer', 400);
        await exchange.sent;
        const other = await world.start();
        await other.accept(createEvent('install', { iat: 300 }));
        exchange.fail(new TokenRequestError('invalid_grant', { rejected: true }));
        await answer;

        await uninstall(250);

        expect(await world.find()).toMatchObject({ status: 'pending', endedIat: 250 });
        await uninstall(350);
        expect(await world.find()).toMatchObject({ status: 'uninstalled' });
      });

      test('an older install of an ended life does not count for the next', async () => {
        await install(100);
        await uninstall(200);
        world.redeem = refuse;

        expect(await token('newer', 400)).toMatchObject(refused);
        expect(await world.find()).toMatchObject({ status: 'uninstalled' });
      });

      const lastAnswers: [string, () => Response][] = [
        ['brings tokens', grantAll],
        ['is refused', refuseAll],
      ];

      test.each(lastAnswers)(
        'a life that a refused code began ends with the exchange of an ended code that %s',
        async (_, answerLast) => {
          const answers = new Map<string, PromiseWithResolvers<Response>>();
          const fetch = (input: string | URL | Request) => {
            const code = new URL(String(input)).searchParams.get('code') ?? '';
            const answer = Promise.withResolvers<Response>();
            answers.set(code, answer);
            return answer.promise;
          };
          const client = createTokenClient({ store: world.store, fetch });
          const { accept } = await world.start({ tokenClient: client });
          const send = async (code: string, iat: number) => {
            const answered = accept(createAccessTokenEvent(code, { iat }));
            await vi.waitFor(() => expect(answers.has(code)).toBe(true), 120_000);
            return { code, answered };
          };
          const newer = await send('newer', 400);
          const older = await send('older', 100);
          await uninstall(200);

          answers.get(newer.code)?.resolve(refuseAll());
          expect(await newer.answered).toMatchObject(refused);
          expect(await world.find()).toMatchObject({ status: 'pending' });
          answers.get(older.code)?.resolve(answerLast());
          expect(await older.answered).toMatchObject(ended);

          expect(await world.find()).toMatchObject({ status: 'uninstalled' });
          await client.drain();
        },
      );

      test('a life that began with any copy of a code ends when the code is refused', async () => {
        await uninstall(200);
        world.redeem = postpone;
        await token('c1', 401);
        world.redeem = refuse;

        expect(await token('c1', 400)).toMatchObject(refused);
        expect(await world.find()).toMatchObject({ status: 'uninstalled' });
      });
    });
  });
}

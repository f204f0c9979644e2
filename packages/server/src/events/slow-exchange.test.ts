/** The platform gives up after 30 seconds, but the exchange goes on: row C05 of docs/threats.md. */
import { afterEach, expect, test } from 'vitest';
import { startWorld, type World } from '../testing/start-world.ts';

let world: World;

afterEach(async () => {
  await world[Symbol.asyncDispose]();
});

test('C05: after the platform hangs up, the exchange completes; the repeated event gets its answer, and a shutdown waits for it', async () => {
  const exchange = Promise.withResolvers<void>();
  const hangUp = new AbortController();
  let isHeld = false;
  const events: Request[] = [];
  let exchanges = 0;
  world = await startWorld({
    app: {
      fetch: async (input, init) => {
        if (String(input).includes('grant_type=authorization_code')) {
          exchanges += 1;
          if (isHeld) {
            hangUp.abort();
            await exchange.promise;
          }
        }
        return fetch(input, init);
      },
    },
    platform: {
      // The platform's own fetch. It hangs up on the first access_token event once its exchange has begun.
      fetch: (input, init) => {
        const request = new Request(input, init);
        if (!isHeld || !request.url.endsWith('/access_token')) return fetch(request);
        events.push(request.clone());
        return fetch(request, { signal: hangUp.signal });
      },
    },
  });
  const { pluginId, installationId } = await world.install();
  isHeld = true;

  const delivery = await world.platform.sendAccessTokenEvent({
    tenantId: world.tenantId,
    pluginId,
  });
  expect(delivery.error?.code).toBe('NO_RESPONSE');
  const drained = world.drain().then(() => 'drained');
  expect(await Promise.race([drained, Promise.resolve('under way')])).toBe('under way');
  exchange.resolve();
  await drained;
  expect(await world.store.grants.load(installationId)).toMatchObject({ tokenVersion: 2 });

  const [event] = events;
  if (!event) throw new Error('No event was sent');
  expect((await fetch(event)).status).toBe(201);
  expect(exchanges).toBe(2);
});

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startBackEnd } from '../testing/start-back-end.ts';
import { createWorld } from './world.ts';

test('an event without an answer is over when its connection is', async () => {
  const { manifestUrl, close } = await startBackEnd((request) => request.socket.destroy());
  const world = await createWorld({
    origin: 'http://localhost:0',
    tenants: ['one'],
    keyBits: 2048,
  });
  const { tenantId } = world.tenantOf('one');

  await world.platform.install({ tenantId, manifestUrl }).catch(() => undefined);
  const [event] = world.platform.exchanges({ tenantId, kind: 'event' });
  const before = event && world.endOf(event);
  await sleep(50);

  expect(event).toMatchObject({ event: 'install', answeredAt: null });
  expect(event && world.endOf(event)).toBe(before);
  world.close();
  await close();
});

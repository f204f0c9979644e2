import { createFakeHost } from '@dowel/adapter/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { notify } from './back-end.ts';
import { loadAdapter } from './load-adapter.ts';
import { bodyOf, startBackEnd } from './testing.tsx';

afterEach(() => {
  vi.unstubAllGlobals();
  history.replaceState(null, '', '/');
});

test('the example of the README sends a notification', async () => {
  const backEnd = startBackEnd();
  using host = await createFakeHost({ keyDelivery: 'jku' });
  history.replaceState(null, '', host.url('/'));

  const adapter = await loadAdapter('main'); // the back end says whose keys are trusted
  const { claims, config } = await adapter.init();
  const message = `${claims.ctx.userName} asks: lunch?`;
  await notify(adapter, { recipientEmail: config?.recipientEmail || 'ada@example.com', message });
  adapter.destroy();

  const [request] = backEnd.asked('/api/createNotification');
  expect(bodyOf(request)).toMatchObject({ message: 'Robin Berg asks: lunch?' });
});

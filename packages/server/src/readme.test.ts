import { expect, test } from 'vitest';
import { startWorld } from './testing/start-world.ts';

test('the example of the README sends a notification with a session', async () => {
  await using world = await startWorld();
  const { url } = world;
  const { instanceId } = await world.install();
  const initJwt = await world.createInitJwt(instanceId);
  const recipientEmail = world.colleague.email;

  const post = (path: string, body: object, headers = {}) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });

  const opened = await post('/api/session', { initJwt, instanceId });
  const { sessionToken } = (await opened.json()) as { sessionToken: string };
  const authorization = `Bearer ${sessionToken}`;
  const sent = await post(
    '/api/createNotification',
    { recipientEmail, message: 'Coffee?' },
    { authorization },
  );

  expect([opened.status, sent.status]).toEqual([201, 200]);
});

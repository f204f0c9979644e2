/** The examples in other frameworks as processes. `mounts.test.ts` tests the same in one process. */
import { createClient } from '@dowel/adapter/client';
import type { createNotification } from '@dowel/server';
import { describe, expect, test } from 'vitest';
import type { operations as praises } from '../fastify/operations.ts';
import { colleagueOf, messagesOf } from './colleague.ts';
import { startPlugIn } from './start-plug-in.ts';

describe.concurrent('the examples as processes', () => {
  test('express: a page below the site notifies a colleague, and the process ends calmly', async () => {
    await using site = await startPlugIn({ example: 'express', base: '/nudge' });
    const { platform } = site;

    const client = createClient<{ createNotification: typeof createNotification }>(
      await site.openSession(),
    );
    const { email } = colleagueOf(platform);

    await client.createNotification({ recipientEmail: email, message: 'Lunch?' });
    expect(messagesOf(platform)).toEqual(['Lunch?']);
    expect(await site.stop()).toBe(0);
  });

  test('fastify: a page below the application praises a colleague, and the process ends calmly', async () => {
    await using application = await startPlugIn({ example: 'fastify', base: '/praise' });
    const { platform } = application;

    const client = createClient<typeof praises>(await application.openSession());

    await client.praise({ email: colleagueOf(platform).email, what: 'the soup' });
    expect(messagesOf(platform)).toEqual(['Well done: the soup']);
    expect(await application.stop()).toBe(0);
  });

  test('hono: a page below the application asks a colleague, and the process ends calmly', async () => {
    await using application = await startPlugIn({ example: 'hono', base: '/questions' });
    const { platform } = application;
    const { email } = colleagueOf(platform);

    const session = await application.openSession();
    const answer = await session.fetch('/api/ask', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, question: 'Soup?' }),
    });

    expect([answer.status, messagesOf(platform)]).toEqual([200, ['Soup?']]);
    expect(await application.stop()).toBe(0);
  });
});

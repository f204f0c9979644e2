/** Each example as its user runs it: `node server.ts` in its folder, and a platform that installs it. */
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createClient } from '@dowel/adapter/client';
import type { Platform } from '@dowel/emulator';
import type { createNotification } from '@dowel/server';
import { build } from 'vite';
import { describe, expect, test, vi } from 'vitest';
import type { operations as praises } from '../fastify/operations.ts';
import type { operations as votes } from '../vote/operations.ts';
import { startPlugIn } from './start-plug-in.ts';

const folderOf = (example: string) => fileURLToPath(new URL(`../${example}/`, import.meta.url));

function colleagueOf({ tenants }: Platform) {
  const colleague = tenants[0]?.users[1];
  if (!colleague) throw new Error('The tenant has one user only');
  return colleague;
}

/** What the colleague was told. */
function messagesOf(platform: Platform): string[] {
  return platform.notifications(colleagueOf(platform).userId).map(({ message }) => message);
}

describe.concurrent('the examples as processes', () => {
  test('vote: the page is built and served, a user votes, and the process ends calmly', async () => {
    await build({ root: folderOf('vote'), logLevel: 'error' });
    await using poll = await startPlugIn({ example: 'vote' });

    const page = await fetch(`${poll.url}/plugin/`);
    const client = createClient<typeof votes>(await poll.openSession());

    expect(await client.vote({ choice: 'soup' })).toEqual({ soup: 1, salad: 0 });
    const [, script = ''] = /<script [^>]*src="([^"]+)"/.exec(await page.text()) ?? [];
    expect(script).toMatch(/^\/plugin\/assets\//);
    expect((await fetch(`${poll.url}${script}`)).status).toBe(200);
    expect(await poll.stop()).toBe(0);
  });

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

  test('cron-notify: a timer reminds a colleague without a user, and the process ends calmly', async () => {
    await using reminders = await startPlugIn({
      example: 'cron-notify',
      environment: { REMIND_EVERY_MS: '1000' },
    });
    const { platform } = reminders;

    await reminders.openSession();

    await vi.waitFor(() => expect(messagesOf(platform)).toContain('The poll ends today'), 30_000);
    expect(await reminders.stop()).toBe(0);
  });
});

describe.each(['vote', 'express', 'fastify', 'hono', 'cron-notify'])('%s', (example) => {
  const read = (file: string) => readFile(`${folderOf(example)}${file}`, 'utf8');

  test('has a back end of at most 60 lines', async () => {
    const files = (await readdir(folderOf(example))).filter((file) =>
      /^(?!vite).*\.ts$/.test(file),
    );
    const sources = await Promise.all(files.map(read));

    expect(files).toContain('server.ts');
    expect(sources.join('').trimEnd().split('\n').length).toBeLessThanOrEqual(60);
  });

  test('says what it shows and how to run it', async () => {
    const readme = await read('README.md');

    expect(readme).toMatch(/^# .+\n\n\w/);
    expect(readme).toContain('npm start');
  });
});

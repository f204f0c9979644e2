/** Runs the examples like their users: `node server.ts` in its folder, and a platform that installs it. */
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createClient } from '@dowel/adapter/client';
import { describe, expect, test, vi } from 'vitest';
import { messagesOf } from './colleague.ts';
import type { operations as pollVotes } from './poll/server.ts';
import { startPlugIn } from './start-plug-in.ts';

const folderOf = (example: string) => fileURLToPath(new URL(`../${example}/`, import.meta.url));

describe.concurrent('the examples as processes', () => {
  test('the README’s poll: a user votes once, and the process ends calmly', async () => {
    await using poll = await startPlugIn({
      example: 'node/poll',
      environment: { DOWEL_PORT: '0' },
    });

    const client = createClient<typeof pollVotes>(await poll.openSession());

    expect(await client.vote({ choice: 'soup' })).toEqual({ votes: 1 });
    expect(await client.vote.safe({ choice: 'soup' })).toMatchObject({
      error: { code: 'ALREADY_VOTED' },
    });
    expect(await poll.stop()).toBe(0);
  });

  test('cron-notify: a timer reminds a colleague without a user, and the process ends calmly', async () => {
    await using reminders = await startPlugIn({
      example: 'cron-notify',
      environment: { REMIND_EVERY_MS: '1000' },
    });
    const { platform } = reminders;

    await reminders.openSession();

    await vi.waitFor(() => expect(messagesOf(platform)).toContain('The poll ends today'), 120_000);
    expect(await reminders.stop()).toBe(0);
  });
});

describe.each(['express', 'fastify', 'hono', 'cron-notify'])('%s', (example) => {
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

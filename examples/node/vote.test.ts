import { fileURLToPath } from 'node:url';
import { pluginTest } from '@dowel/dev/vitest';
import { startTestServer } from '@dowel/emulator/test-server';
import { createServer } from '@dowel/server';
import { rolldown } from 'rolldown';
import { expect, it } from 'vitest';
import { operations } from '../../packages/create-dowel/template-react/server/operations.ts';
import { remindEverybody } from '../cron-notify/remind-everybody.ts';

const manifest = new URL(
  '../../packages/create-dowel/template-react/manifest.json',
  import.meta.url,
);

const test = pluginTest<typeof operations>((options) =>
  createServer({ ...options, manifest, operations }),
);

test('a colleague is asked to vote', async ({ client, platform, tenant }) => {
  const [, colleague] = tenant.users;
  await client.invite({ email: colleague?.email ?? '' });

  const [newest] = platform.notifications(colleague?.userId ?? '');
  expect(newest).toMatchObject({ message: 'What is for lunch? Vote!' });
});

test('a user votes once', async ({ client }) => {
  expect(await client.vote({ choice: 'soup' })).toEqual({ soup: 1, salad: 0 });

  const again = await client.vote.safe({ choice: 'salad' });
  expect(again).toMatchObject({ error: { code: 'ALREADY_VOTED' } });
});

it('a timer reminds a colleague in every tenant, without a user', async () => {
  await using world = await startTestServer((options) =>
    createServer({ ...options, manifest, operations }),
  );
  await world.openPage();
  const [, colleague] = world.platform.tenants[0]?.users ?? [];

  expect(await remindEverybody(world.server, colleague?.email ?? '')).toBe(1);
  expect(await remindEverybody(world.server, 'nobody@nowhere.example')).toBe(0);

  const sent = world.platform.notifications(colleague?.userId ?? '');
  expect(sent).toMatchObject([{ message: 'The poll ends today' }]);
});

it('S23: nothing of the back end gets into the page', async () => {
  const input = fileURLToPath(
    new URL('../../packages/create-dowel/template-react/src/page.tsx', import.meta.url),
  );
  const build = await rolldown({ input, external: [/^react/] });
  const { output } = await build.generate({ format: 'esm' });
  await build.close();

  expect(output[0].code).toContain('/api/');
  for (const text of ['Votes once', 'What is for lunch? Vote!', 'zod', 'node:', 'plugin:notify']) {
    expect(output[0].code).not.toContain(text);
  }
});

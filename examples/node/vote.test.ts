import { fileURLToPath } from 'node:url';
import { createClient } from '@dowel/adapter/client';
import { startTestServer } from '@dowel/emulator/test-server';
import { createServer } from '@dowel/server';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { operations } from '../../packages/create-dowel/template-react/server/operations.ts';
import { remindEverybody } from '../cron-notify/remind-everybody.ts';

const manifest = new URL(
  '../../packages/create-dowel/template-react/manifest.json',
  import.meta.url,
);

test('a user votes once, and asks a colleague to vote', async () => {
  await using world = await startTestServer((options) =>
    createServer({ ...options, manifest, operations }),
  );
  const page = await world.openPage();
  const client = createClient<typeof operations>(page);

  expect(await client.vote({ choice: 'soup' })).toEqual({ soup: 1, salad: 0 });
  const again = await client.vote.safe({ choice: 'salad' });
  expect(again).toMatchObject({ error: { code: 'ALREADY_VOTED' } });

  const { users = [] } =
    world.platform.tenants.find(({ tenantId }) => tenantId === page.tenantId) ?? {};
  const [, colleague] = users;
  expect(await client.invite({ email: colleague?.email ?? '' })).toEqual({});
  expect(world.platform.notifications(colleague?.userId ?? '')).toMatchObject([
    { message: 'What is for lunch? Vote!' },
  ]);
});

test('a timer reminds a colleague in every tenant, without a user', async () => {
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

test('S23: nothing of the back end gets into the page', async () => {
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

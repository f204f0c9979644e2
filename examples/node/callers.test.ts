/** The example of the server's README: who calls an operation. */
import { readFile } from 'node:fs/promises';
import { createClient } from '@dowel/adapter/client';
import { startTestServer } from '@dowel/emulator/test-server';
import { createServer, defineOperation, type Manifest } from '@dowel/server';
import { expect, test } from 'vitest';
import { z } from 'zod';

/** It asks the platform for the user's name. */
const manifest: Manifest = {
  ...(JSON.parse(
    await readFile(
      new URL('../../packages/create-dowel/template-react/manifest.json', import.meta.url),
      'utf8',
    ),
  ) as Manifest),
  context: ['userName'],
};

const settings = z.object({ colour: z.string().default('blue') });
const greet = defineOperation({
  input: z.object({}),
  output: z.object({ text: z.string(), colour: z.string() }),
  config: settings,
  run: ({ user, config }) => ({ text: `Hello ${user.name ?? 'you'}`, colour: config.colour }),
});

test('an operation greets its user by name, in the colour of the widget', async () => {
  const operations = { greet };
  await using world = await startTestServer((options) =>
    createServer({ ...options, manifest, operations }),
  );
  const page = await world.openPage();
  const { tenantId, pluginId, instanceId, user } = page;
  const text = `Hello ${user.name}`;

  expect(await createClient<typeof operations>(page).greet({})).toEqual({ text, colour: 'blue' });

  world.platform.saveConfig({ tenantId, pluginId, instanceId, config: { colour: 'red' } });
  const next = await world.openPage({ instanceId });
  expect(await createClient<typeof operations>(next).greet({})).toEqual({ text, colour: 'red' });
});

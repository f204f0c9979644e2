import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestServer } from '@dowel/emulator/test-server';
import { createLunchServer } from '../lunch.js';

await test('a colleague is asked when the widget is placed, and the widget has a page', async () => {
  const manifest = new URL('../manifest.json', import.meta.url);
  const world = await startTestServer((options) => createLunchServer({ ...options, manifest }));
  await world.openPage();
  assert.equal((await fetch(`${world.url}/plugin/`)).status, 200);

  await world.server.hooks.runDue();

  const users = world.platform.tenants.flatMap((tenant) => tenant.users);
  const jonas = users.find(({ email }) => email === 'jonas.weber@acme.example');
  assert.equal(world.platform.notifications(jonas.userId).length, 1);
  await world.close();
});

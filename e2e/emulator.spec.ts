/** The emulator's pages: people who are added, and a manifest that changes while a plug-in is installed. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type RunningPlatform, startPlatform } from '@dowel/dev';
import { expect, test } from '@playwright/test';
import { expectNoAxeViolations } from './expect-no-axe-violations.ts';

// The tests select by English texts.
test.use({ locale: 'en-GB' });

const entryPoint = { url: 'plugin/', description: { en: 'Lunch' } };
const lunch = { ...entryPoint, id: '2d1b8f52-4c0f-4f0e-9f0b-6f3f0c1a7e01', name: { en: 'Lunch' } };
const dinner = {
  ...entryPoint,
  id: '2d1b8f52-4c0f-4f0e-9f0b-6f3f0c1a7e02',
  name: { en: 'Dinner' },
};
const apiAccess = {
  url: 'lifecycle/',
  client: { mode: ['authorization_code'], scope: ['plugin:notify'] },
};
const firstManifest = {
  manifestVersion: '2.5.0',
  pluginVersion: '1.0.0',
  name: { en: 'Lunch' },
  description: { en: 'Lunch' },
  lifecycle: { url: 'lifecycle/', events: ['install', 'uninstall'] },
  entryPoints: [lunch],
};

let manifest: object = firstManifest;
let plugin: Server;
let manifestUrl: string;
let running: RunningPlatform;
const events: string[] = [];

test.beforeAll(async () => {
  // A pooled connection must not meet a closing socket.
  plugin = createServer({ keepAliveTimeout: 120_000 }, ({ method, url = '' }, response) => {
    if (method === 'POST') events.push(url.replace('/lifecycle/', ''));
    response.writeHead(method === 'POST' ? 201 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(method === 'POST' ? {} : manifest));
  });
  await new Promise<void>((resolve) => plugin.listen(0, '127.0.0.1', resolve));
  manifestUrl = `http://127.0.0.1:${(plugin.address() as AddressInfo).port}/manifest.json`;
  running = await startPlatform({
    port: 0,
    sampleManifestUrl: manifestUrl,
    onError: (error) => {
      throw error;
    },
    platform: { keyBits: 2048 },
  });
});

test.afterAll(async () => {
  await running?.close();
  plugin?.close();
  plugin?.closeAllConnections();
});

test('a tenant and a person are added, and a changed manifest is offered as an update', async ({
  page,
}) => {
  await page.goto(running.url);
  await page.getByRole('button', { name: 'Add a tenant' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Initech');
  await page.keyboard.press('Enter');
  const tenant = page.getByRole('region', { name: 'Initech' });
  await tenant.getByRole('button', { name: 'Add a person' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Zoë Müller');
  await page.getByRole('combobox', { name: 'Language' }).selectOption('French');
  await expectNoAxeViolations(page);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await tenant.getByRole('button', { name: 'Zoë Müller' }).click();

  const main = page.getByRole('navigation', { name: 'Main' });
  await main.getByRole('link', { name: 'Plug-ins' }).click();
  await page.getByRole('button', { name: 'Install', exact: true }).click();
  const card = page.getByRole('region', { name: 'Lunch' });
  await expect(card).toBeVisible();

  manifest = { ...firstManifest, apiAccess, entryPoints: [lunch, dinner] };
  await expect(card.getByText('this update sends access_token')).toBeVisible();
  await expect(card.getByText('The widget Dinner is new')).toBeVisible();
  await expectNoAxeViolations(page);
  await card.getByRole('button', { name: 'Update' }).click();
  await expect(card.getByText('The manifest has changed')).toBeHidden();
  expect(events).toEqual(['install', 'access_token']);

  manifest = { ...manifest, apiAccess: { ...apiAccess, url: '/lifecycle/' } };
  await expect(card.getByText('this update sends nothing')).toBeVisible();
  await expect(card.getByText('keeps its old grant')).toBeVisible();
  await card.getByRole('button', { name: 'Install again' }).click();
  await expect.poll(() => events.slice(2)).toEqual(['uninstall', 'install', 'access_token']);
  await expect(card).toBeVisible();
  await expect(card.getByText('The manifest has changed')).toBeHidden();
});

test('names of one long word leave each page as wide as the window', async ({ page }) => {
  const word = 'Donaudampfschifffahrtsgesellschaftskapitaensmuetzenabzeichenverleihungsurkunde';
  manifest = {
    ...firstManifest,
    name: { en: word },
    description: { en: word.repeat(3) },
    entryPoints: [{ ...lunch, name: { en: word } }],
  };
  const { platform } = running;
  const { tenantId } = platform.addTenant({ name: word });
  const { userId } = platform.addUser({ tenantId, name: word, jobTitle: word });
  const { pluginId } = await platform.install({ tenantId, manifestUrl });
  await platform.addInstance({ tenantId, pluginId, entryPointId: lunch.id });
  const widths = () =>
    page.evaluate(() => [
      document.documentElement.scrollWidth,
      document.documentElement.clientWidth,
    ]);

  for (const width of [1280, 360]) {
    await page.context().clearCookies();
    await page.setViewportSize({ width, height: 740 });
    await page.goto(`${running.url}/#/`);
    await page.reload();
    await expect(page.getByRole('button', { name: word })).toBeVisible();
    expect(await widths()).toEqual([width, width]);
    await page.goto(platform.signInUrl(userId));
    const bar = page.getByRole('banner');
    await bar.getByRole('button', { name: 'Account menu' }).click();
    await expect(page.getByRole('menuitem', { name: 'Sign out' })).toBeVisible();
    expect(await widths()).toEqual([width, width]);
    for (const [route, heading] of [
      ['', 'Colleagues'],
      ['plugins', 'Installed'],
      ['lab', 'Lab'],
    ] as const) {
      await page.goto(`${running.url}/#/${route}`);
      await expect(page.getByRole('heading', { name: heading, exact: true })).toBeVisible();
      expect(await widths()).toEqual([width, width]);
    }
    await expectNoAxeViolations(page);
  }
});

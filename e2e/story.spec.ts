/** The whole story, in Chromium, on the processes of `npm start`. Each test continues where the last one ended. */
import { randomUUID } from 'node:crypto';
import { type BrowserContext, expect, type Page, test } from '@playwright/test';
import { expectNoAxeViolations } from './expect-no-axe-violations.ts';
import { type AdapterPackage, servePlugin } from './predecessor/serve-plugin.ts';
import { savePicture } from './save-picture.ts';
import { createSecretWatch } from './secret-watch.ts';
import { type Stack, startStack } from './start-stack.ts';

test.describe.configure({ mode: 'serial' });

let stack: Stack;
let emulator: Page;
let dashboard: Page;
let colleague: Page;
const contexts: BrowserContext[] = [];
const watch = createSecretWatch();
let endStream: (() => Promise<void>) | undefined;
/** Somebody types it on the sign-in page. */
const typedPassword = `${randomUUID()} typed`;

test.beforeAll(async ({ browser }) => {
  stack = await startStack();
  const openPage = async () => {
    const context = await browser.newContext({
      // The tests select by English texts.
      locale: 'en-GB',
      viewport: { width: 1280, height: 860 },
    });
    contexts.push(context);
    watch.follow(context);
    return context.newPage();
  };
  [emulator, dashboard, colleague] = await Promise.all([openPage(), openPage(), openPage()]);
});

test.afterEach(async () => {
  watch.learn(await stack.readSecrets());
  for (const page of [emulator, dashboard, colleague]) await watch.keepPage(page);
});

test.afterAll(async () => {
  await endStream?.();
  for (const context of contexts) await context.close();
  expect(await stack?.stop()).toBe(0);
});

const plugin = () => emulator.frameLocator('iframe[title="Nudge"]');

async function signInToEmulator(page: Page, name: string): Promise<void> {
  await page.goto(stack.emulatorUrl);
  await page.getByRole('button', { name }).click();
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible();
}

async function visit(page: Page, name: 'Home' | 'Plug-ins' | 'Lab'): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click();
}

async function sendNotification(message: string): Promise<void> {
  await visit(emulator, 'Home');
  await plugin()
    .getByRole('textbox', { name: "Colleague's email" })
    .fill('tomasz.kowalski@acme.example');
  await plugin().getByRole('textbox', { name: 'Message' }).fill(message);
  await plugin().getByRole('button', { name: 'Send notification' }).click();
  await expect(plugin().getByRole('status').filter({ hasText: /sent/i })).toBeVisible();
}

async function expectReceived(message: string): Promise<void> {
  const list = colleague.getByRole('dialog');
  if (!(await list.isVisible())) {
    await colleague.getByRole('button', { name: /^Notifications/ }).click();
  }
  await expect(list.getByText(message)).toBeVisible();
}

/** Rows of the installation's refresh history in the dashboard, newest first. */
async function tokenOperations(): Promise<string[]> {
  const fleet = `${stack.adminUrl}api/fleet/installations`;
  const { installations } = await read<{ installations: { id: string; state: string }[] }>(fleet);
  const active = installations.find(({ state }) => state !== 'uninstalled');
  const { entries } = await read<{ entries: { entry: TokenOperation }[] }>(
    `${fleet}/${active?.id}/timeline?kinds=refresh,trigger`,
  );
  return entries.map(
    ({ entry: { operation, succeeded } }) => `${operation} ${succeeded ? 'ok' : 'failed'}`,
  );
}

interface TokenOperation {
  operation: string;
  succeeded: boolean;
}

async function read<Answer>(url: string): Promise<Answer> {
  const response = await dashboard.request.get(url);
  if (!response.ok()) throw new Error(`${url}: ${response.status()} ${await response.text()}`);
  return (await response.json()) as Answer;
}

/** The session's token and the other secrets of operators must not be found, in the stream of changes neither. */
async function watchOperator(): Promise<void> {
  const cookies = await dashboard.context().cookies(stack.adminUrl);
  const [session] = cookies.filter(({ name }) => name.endsWith('dowel_admin'));
  if (!session) throw new Error('The dashboard has no session');
  watch.learn([...stack.operatorSecrets, session.value, typedPassword]);
  const cookie = `${session.name}=${session.value}`;
  endStream = await watch.readStream(`${stack.adminUrl}api/changes`, { cookie });
}

test('a person signs in to the emulator, and an operator to the dashboard by the one-time link', async () => {
  await signInToEmulator(emulator, 'Priya Nair');
  await signInToEmulator(colleague, 'Tomasz Kowalski');
  await dashboard.goto(stack.signInUrl);

  await expect(dashboard.getByRole('heading', { name: 'Overview' })).toBeVisible();
  expect(dashboard.url()).not.toContain('code');
  await watchOperator();
  await dashboard.getByRole('link', { name: 'Installations' }).click();
  await expect(dashboard.getByRole('heading', { name: 'No installation yet' })).toBeVisible();
});

test('an installation by manifest URL shows as active in the dashboard, without a reload', async () => {
  await visit(emulator, 'Plug-ins');
  await emulator.getByRole('textbox', { name: 'Manifest URL' }).fill(stack.manifestUrl);
  await emulator.getByRole('button', { name: 'Install', exact: true }).click();

  await expect(emulator.getByRole('region', { name: 'Nudge' })).toBeVisible();
  await expect(dashboard.getByRole('table').getByText('Active')).toBeVisible();
  expect(await tokenOperations()).toEqual(['exchange ok']);
  await savePicture(emulator, 'plug-ins');
});

test('the widget knows who the user is', async () => {
  await emulator
    .getByRole('region', { name: 'Nudge' })
    .getByRole('button', { name: 'Place widget' })
    .click();
  await visit(emulator, 'Home');

  await expect(plugin().getByRole('heading', { name: /Priya/ })).toBeVisible();
});

test('a notification sent from inside the iframe appears at the colleague', async () => {
  await sendNotification('Lunch at noon?');

  await expectReceived('Lunch at noon?');
});

test('what an administrator configures is what the widget shows, as high as it is', async () => {
  await visit(emulator, 'Home');
  await emulator.getByRole('button', { name: /^Configure widget/ }).click();
  const dialog = emulator.getByRole('dialog');
  const settings = emulator.frameLocator('iframe[title="Configuration of Nudge"]');
  await settings.getByRole('textbox', { name: 'Words above the form' }).fill('Cheer somebody up!');
  const recipient = settings.getByRole('textbox', { name: 'Suggested recipient' });
  await recipient.fill('tomasz');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(settings.getByText('Not saved. Fix the marked fields.')).toBeVisible();

  await recipient.fill('tomasz.kowalski@acme.example');
  await dialog.getByRole('button', { name: 'Save' }).click();

  await expect(dialog).toBeHidden();
  await expect(plugin().getByText('Cheer somebody up!')).toBeVisible();
  await expect(plugin().getByRole('textbox', { name: "Colleague's email" })).toHaveValue(
    'tomasz.kowalski@acme.example',
  );
  const page = plugin().getByRole('main', { name: 'Nudge' });
  const frame = emulator.locator('iframe[title="Nudge"]');
  await expect
    .poll(async () => (await frame.boundingBox())?.height)
    .toBe(Math.ceil((await page.boundingBox())?.height ?? Number.NaN));
});

test('after the token expired, the next click works after exactly one refresh', async () => {
  await visit(emulator, 'Lab');
  await emulator.getByRole('button', { name: 'Advance 1 hour' }).click();
  await expect(emulator.getByText(/1 h/).first()).toBeVisible();

  await sendNotification('Still lunch?');

  await expectReceived('Still lunch?');
  expect(await tokenOperations()).toEqual(['refresh ok', 'exchange ok']);
});

test('after the refresh token was revoked, the next click works after one trigger and its event', async () => {
  await visit(emulator, 'Plug-ins');
  const card = emulator.getByRole('region', { name: 'Nudge' });
  await card.getByRole('button', { name: 'Revoke access tokens' }).click();
  await card.getByRole('button', { name: 'Revoke refresh tokens' }).click();
  await expect(
    emulator.getByText(/refresh tokens? (are|were|is|was) revoked|revoked/i).first(),
  ).toBeVisible();

  await sendNotification('Dinner, then?');

  await expectReceived('Dinner, then?');
  expect(await tokenOperations()).toEqual([
    'exchange ok',
    'trigger ok',
    'refresh failed',
    'refresh ok',
    'exchange ok',
  ]);
});

/** What the script of a page reads or does with the dashboard's API, in the browser of an owner who has signed in. */
async function attack(page: Page, installationId: string): Promise<string[]> {
  return page.evaluate(async (id) => {
    const ask = (path: string, init?: RequestInit) =>
      fetch(`/admin/api/${path}`, { credentials: 'include', ...init }).then(
        async (answer) => `${answer.status} ${await answer.text()}`,
        () => 'unreadable',
      );
    const pause = {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-dowel-csrf': '1' },
      body: JSON.stringify({ reason: 'attack' }),
    };
    return [
      await ask('session'),
      await ask('fleet', { mode: 'no-cors' }),
      await ask(`installations/${id}/actions/pause`, pause),
    ];
  }, installationId);
}

test('F29: the plug-in’s page, opened outside of its frame, cannot use the operator’s session', async () => {
  const fleet = `${stack.adminUrl}api/fleet/installations`;
  const { installations } = await read<{ installations: { id: string }[] }>(fleet);
  const [{ id } = { id: '' }] = installations;
  const page = await dashboard.context().newPage();
  await page.goto(new URL(`/plugin/?src=${randomUUID()}`, stack.manifestUrl).href);
  await expect(page.getByRole('alert')).toBeVisible();

  expect(await attack(page, id)).toEqual(['unreadable', 'unreadable', 'unreadable']);
  const details = await read<{ pause: unknown }>(`${fleet}/${id}`);
  expect(details.pause).toBeNull();
  await page.close();
});

test('the page of the keys names the command that rotates them, and nothing to click', async () => {
  const navigation = dashboard.getByRole('navigation');
  await navigation.getByRole('link', { name: 'Keys & trust' }).click();

  await expect(dashboard.getByText('No rotation is under way.')).toBeVisible();
  await expect(dashboard.getByText('dowel keys rotate')).toBeVisible();
  await expect(dashboard.getByRole('button', { name: /key$/ })).toHaveCount(0);
  await expectNoAxeViolations(dashboard);
  await sendNotification('Supper?');
  await expectReceived('Supper?');
  await navigation.getByRole('link', { name: 'Installations' }).click();
});

test('a page whose code cannot be loaded says so in its place, and loads by itself later', async () => {
  const page = await dashboard.context().newPage();
  const isCodeOfPeople = (url: URL) => /people-page.*\.js$/.test(url.pathname);
  await page.route(isCodeOfPeople, (route) => route.abort());
  await page.goto(stack.adminUrl);
  const people = page.getByRole('navigation').getByRole('link', { name: 'People' });

  await people.click();
  await expect(page.getByRole('alert')).toContainText('This page cannot be loaded');
  await expect(people).toBeVisible();

  await page.unroute(isCodeOfPeople);
  await expect(page.getByRole('heading', { level: 1, name: 'People' })).toBeVisible();
  await page.close();
});

test('the dashboard shows what happened, in words and without an accessibility violation', async () => {
  await dashboard.locator('tbody').getByRole('link').first().click();
  await expect(dashboard.getByText('Tokens received').first()).toBeVisible();
  await dashboard.getByText('Details', { exact: true }).first().click();
  await expect(dashboard.getByText('Request id').filter({ visible: true })).toHaveCount(1);
  await savePicture(dashboard, 'installation');
  await dashboard.getByRole('button', { name: 'Refreshes' }).click();

  await expect(dashboard.getByText('invalid_grant').first()).toBeVisible();
  await expectNoAxeViolations(dashboard);
  await expectNoAxeViolations(colleague);
});

/** A button that cannot be used says why. The test's server has no mail server for alerts. */
async function expectReason(page: Page): Promise<void> {
  const button = page.getByRole('button', { disabled: true }).first();
  const reason = page.getByRole('tooltip').filter({ visible: true });
  await expect(reason).toBeHidden();
  await button.focus();
  await expect(reason).toBeInViewport({ ratio: 1 });
}

/** Browsers empty a search field with Escape; here it leaves the field, and the list stays filtered. */
async function expectSearchStays(page: Page): Promise<void> {
  const field = page.locator('input[type=search]');
  await page.keyboard.press('/');
  await page.keyboard.type('local');
  await page.keyboard.press('Escape');
  await expect(field).not.toBeFocused();
  await expect(page).toHaveURL(/q=local/);
  await expect(field).toHaveValue('local');
}

/** The window above a button opens beside it, and closes with Escape. */
async function expectPopup(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: /^Theme and language$|^Darstellung$/ });
  await button.click();
  const popup = page.getByRole('dialog');
  await expect(popup.getByText('Deutsch')).toBeVisible();
  await expectNoAxeViolations(page);
  const [below, above] = await Promise.all([button.boundingBox(), popup.boundingBox()]);
  expect(above?.x).toBe(below?.x);
  expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0);
  await page.keyboard.press('Escape');
  await expect(popup).toBeHidden();
}

/** The palette, the list of keys, and the dialogs of the actions, on the page of an installation. */
async function expectAccessibleDialogs(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog');
  for (const key of ['?', 'Control+k', 't', 'r', 'p']) {
    await page.keyboard.press(key);
    await expect(dialog, key).toBeVisible();
    await expect(dialog).toHaveCSS('opacity', '1');
    await expectNoAxeViolations(page);
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
  }
}

/** The sign-in page, before and after a wrong password. */
async function expectAccessibleSignIn(context: BrowserContext): Promise<void> {
  const page = await context.newPage();
  await page.goto(new URL('sign-in', stack.adminUrl).href);
  const password = page.locator('input[name=password]');
  await expect(password).toBeVisible();
  await expectNoAxeViolations(page);
  await page.locator('input[name=name]').fill('grace');
  await password.fill(typedPassword);
  await password.press('Enter');
  await expect(page.getByRole('alert')).toBeVisible();
  await expectNoAxeViolations(page);
  await context.close();
}

/** Each colour scheme and each language once; `npm run test:all` adds the other pairs. */
const looks = [
  { colorScheme: 'light', locale: 'en-GB', width: 1280 },
  { colorScheme: 'dark', locale: 'de-DE', width: 360 },
  { colorScheme: 'light', locale: 'de-DE', width: 360, tag: '@long' },
  { colorScheme: 'dark', locale: 'en-GB', width: 1280, tag: '@long' },
] as const;

for (const { colorScheme, locale, width, ...details } of looks) {
  test(
    `every page of the dashboard is accessible: ${colorScheme}, ${locale}`,
    details,
    async ({ browser }) => {
      // Ten pages, each as long as a test of its own.
      test.setTimeout(300_000);
      const storageState = await dashboard.context().storageState();
      const context = await browser.newContext({ colorScheme, locale, storageState });
      watch.follow(context);
      const page = await context.newPage();
      const refusedByPolicy: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error' && message.text().includes('-src')) {
          refusedByPolicy.push(message.text());
        }
      });
      for (const [path, title] of [
        ['audit', /Audit|Protokoll/],
        ['hooks', /Hooks/],
        ['alerts', /Alerts|Alarme/],
        ['calls', /Calls|Aufrufe/],
        ['events', /Events|Ereignisse/],
        ['keys', /Keys & trust|Schlüssel & Vertrauen/],
        ['people', /People|Benutzer/],
        ['guide/operations.html', 'Operations'],
        ['settings', /Settings|Einstellungen/],
      ] as const) {
        await page.goto(new URL(path, stack.adminUrl).href);
        await expect(page.getByRole('heading', { level: 1 })).toHaveText(title);
        if (path === 'alerts') await expectReason(page);
        await expectNoAxeViolations(page);
      }
      await expectPopup(page);
      for (const path of ['/admin/', '/admin/installations', new URL(dashboard.url()).pathname]) {
        await page.goto(new URL(path, stack.adminUrl).href);
        await expect(
          page.getByText(/^(Active|Aktiv|The one .* does\.|Die eine .* läuft\.)$/),
        ).toBeVisible();
        if (path === '/admin/') {
          const chart = /^Installations without access|^Installationen ohne Zugriff/;
          await expect(page.getByRole('img', { name: chart })).toBeVisible();
        }
        await expectNoAxeViolations(page);
        if (path === '/admin/installations') await expectSearchStays(page);
      }
      await expectAccessibleDialogs(page);
      expect(refusedByPolicy).toEqual([]);
      await context.close();
      const stranger = await browser.newContext({ colorScheme, locale });
      watch.follow(stranger);
      await expectAccessibleSignIn(stranger);
    },
  );

  test(
    `the reference of the operations is readable: ${colorScheme}, ${width} px`,
    details,
    async ({ browser }) => {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 } });
      const page = await context.newPage();
      await page.goto(new URL('../openapi.html', stack.adminUrl).href);

      await expect(page.getByRole('heading', { name: 'createNotification' })).toBeVisible();
      const reached = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(reached).toBeLessThanOrEqual(width);
      await expectNoAxeViolations(page);
      await context.close();
    },
  );
}

test('a fault is played, and the lab says that the back end did the good thing', async () => {
  await visit(emulator, 'Lab');
  await emulator.getByRole('button', { name: 'Play event.repeated' }).click();

  await expect(emulator.getByText('good: every copy got the same answer')).toBeVisible();
  await expectNoAxeViolations(emulator);
});

test('after the uninstall the dashboard shows it gone', async () => {
  await visit(emulator, 'Plug-ins');
  await emulator
    .getByRole('region', { name: 'Nudge' })
    .getByRole('button', { name: 'Uninstall' })
    .click();
  await emulator.getByRole('dialog').getByRole('button', { name: 'Uninstall' }).click();

  await expect(emulator.getByRole('region', { name: 'Nudge' })).toBeHidden();
  await expect(dashboard.getByText('Uninstalled').first()).toBeVisible();
});

test('a refused scope fails the installation in words, and ends in uninstall', async () => {
  await visit(emulator, 'Lab');
  await emulator.getByRole('switch', { name: 'plugin:notify' }).click({ force: true });
  await visit(emulator, 'Plug-ins');
  await emulator.getByRole('textbox', { name: 'Manifest URL' }).fill(stack.manifestUrl);
  await emulator.getByRole('button', { name: 'Install', exact: true }).click();

  const alert = emulator.getByRole('alert').filter({ hasText: 'The installation failed' });
  await expect(alert).toContainText('An essential scope was not granted');
  await expect(alert.getByRole('listitem')).toContainText(['install', 'access_token', 'uninstall']);
  await dashboard.goto(stack.adminUrl);
  await expect(dashboard.getByText('Install refused')).toBeVisible();
  await expect(dashboard.getByRole('cell', { name: 'Scope missing' })).toBeVisible();
});

test('the view of the refused event says what it caused', async () => {
  await emulator.getByRole('link', { name: 'access_token' }).first().click();

  await expect(emulator.getByRole('heading', { level: 1 })).toHaveText(
    'access_token was refused: 400 instead of 201, so the installation failed and uninstall was sent',
  );
  await expectNoAxeViolations(emulator);
  await savePicture(emulator, 'request');
});

for (const adapter of [
  '@coyoapp/plugin-adapter',
  '@dowel/adapter/compat',
] satisfies AdapterPackage[]) {
  test(`a plug-in written for the predecessor works with ${adapter}`, async () => {
    await using served = await servePlugin(adapter, stack.emulatorUrl);
    await visit(emulator, 'Plug-ins');
    await emulator.getByRole('textbox', { name: 'Manifest URL' }).fill(served.manifestUrl);
    await emulator.getByRole('button', { name: 'Install', exact: true }).click();
    const card = emulator.getByRole('region', { name: served.name });
    await card.getByRole('button', { name: 'Place widget' }).click();
    await visit(emulator, 'Home');
    const widget = emulator.frameLocator(`iframe[title="${served.name}"]`);
    await expect(widget.getByText('Priya Nair, no colour, true')).toBeVisible();

    await emulator.getByRole('button', { name: `Configure widget ${served.name}` }).click();
    const settings = emulator.frameLocator(`iframe[title="Configuration of ${served.name}"]`);
    await expect(settings.getByText('Priya Nair, no colour, true')).toBeVisible();
    await emulator.getByRole('dialog').getByRole('button', { name: 'Save' }).click();

    await expect(widget.getByText('Priya Nair, blue, true')).toBeVisible();
    const frame = emulator.locator(`iframe[title="${served.name}"]`);
    await expect.poll(async () => (await frame.boundingBox())?.height).toBeLessThan(100);
  });
}

test('E07: the output of the processes contains no secret', async () => {
  const output = await stack.readOutput();

  expect(output).toContain('"route":"access_token"');
  expect(output).not.toMatch(/code=|refresh_token=|Bearer |Basic |eyJ/);
});

/** Everything that the dashboard's API answers to GET, with the ids of the run. */
async function readWholeApi(): Promise<void> {
  const api = `${stack.adminUrl}api`;
  const { paths } = await read<{ paths: Record<string, { get?: object }> }>(`${api}/openapi.json`);
  const { installations } = await read<{ installations: { id: string }[] }>(
    `${api}/fleet/installations`,
  );
  for (const [path, { get }] of Object.entries(paths)) {
    if (!get || /oidc|changes/.test(path)) continue;
    const ids = path.includes('{id}') ? installations.map(({ id }) => id) : [''];
    for (const id of ids) {
      const response = await dashboard.request.get(`${api}${path.replace('{id}', id)}`);
      watch.keep(`the answer of ${path}`, await response.text());
    }
  }
  for (const format of ['csv', 'json']) {
    const response = await dashboard.request.get(`${api}/fleet/export?format=${format}`);
    expect(response.status()).toBe(200);
    watch.keep(`the export as ${format}`, await response.text());
  }
}

test('E09: no answer, page, log line or export of this whole run has a secret, in any encoding', async () => {
  await readWholeApi();
  watch.keep('the output of the processes', await stack.readOutput());

  const { secrets, texts } = await watch.count();
  expect(secrets).toBeGreaterThan(5);
  expect(texts).toBeGreaterThan(100);
  for (const seen of [
    'Lunch at noon?',
    'invalid_grant',
    '"route":"access_token"',
    'event: changed',
  ]) {
    expect(await watch.hasSeen(seen), seen).toBe(true);
  }
  expect(await watch.findLeaks()).toEqual([]);
});

/**
 * The dashboard on 100,000 installations, in Chromium, on the sample plug-in's back end. Only
 * `npm run test:all` runs it, because filling the database takes long.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import AxeBuilder from '@axe-core/playwright';
import { createFirstKey, openKeyring } from '@dowel/installation-store';
import {
  failAtExit,
  longestBroken,
  makeSampleFleet,
  seededId,
  seededKey,
  seededSecrets,
  seedInstallations,
  withoutScope,
} from '@dowel/installation-store/testing';
import { type BrowserContext, expect, type Page, test } from '@playwright/test';
import { picturesFolder, savePicture } from './save-picture.ts';
import { createSecretWatch } from './secret-watch.ts';

test.describe.configure({ mode: 'serial' });

const installations = 100_000;
const numbers = new Intl.NumberFormat('en-GB');
const backEnd = fileURLToPath(new URL('../apps/bff/src/main.ts', import.meta.url));
const manifest = fileURLToPath(new URL('../manifest.json', import.meta.url));

interface Ready {
  url: string;
  signIn: { url: string };
}

let folder: string;
let database: DatabaseSync;
let child: ChildProcess;
let adminUrl: string;
let context: BrowserContext;
let page: Page;
const watch = createSecretWatch();
let endStream: (() => Promise<void>) | undefined;
/** Requests for a page of the list since the last check. */
let listRequests: string[] = [];

/** @returns the path of the database. */
async function seedFleet(): Promise<string> {
  const settings = {
    database: { path: join(folder, 'dowel.sqlite') },
    keyFile: { path: join(folder, 'encryption.key'), production: false },
  };
  await createFirstKey(settings);
  const keyring = openKeyring(settings.keyFile);
  const now = Date.now();
  const location = settings.database;
  await seedInstallations({ location, keyring, count: installations, at: now });
  const path = 'path' in location ? location.path : '';
  makeSampleFleet(path, installations, now);
  return path;
}

/** @returns the link that signs in. */
async function startBackEnd(): Promise<string> {
  child = fork(backEnd, {
    env: {
      ...process.env,
      DOWEL_DATA_DIR: folder,
      DOWEL_MANIFEST: manifest,
      DOWEL_PORT: '0',
      DOWEL_TRUST: 'https://*.example.com=https://keys.example.com/',
      DOWEL_LOG_LEVEL: 'error',
    },
    execArgv: [],
  });
  const [ready] = (await Promise.race([once(child, 'message'), failAtExit(child)])) as [Ready];
  adminUrl = `${ready.url}/admin`;
  return ready.signIn.url;
}

/** The counts of the database itself. */
function count(condition: string): number {
  const query = database.prepare(`select count(*) as n from installations where ${condition}`);
  return (query.get() as { n: number }).n;
}

const hostOf = (index: number) => new URL(seededKey(index).issuer).host;
const rows = () => page.getByRole('table').locator('tbody tr');
const footer = (text: RegExp) => page.getByText(text);
/** Formats a number like the page. */
const said = (number: number) => numbers.format(number);

/** Secrets of operators and of some installations must not be found. */
async function watchOperator(signInUrl: string): Promise<void> {
  const [session] = await context.cookies(adminUrl);
  if (!session) throw new Error('The dashboard has no session');
  const indexes = [longestBroken.index, withoutScope.index, 0, 54_321];
  watch.learn([
    new URL(signInUrl).hash.replace('#code=', ''),
    session.value,
    ...indexes.flatMap(seededSecrets),
  ]);
  const cookie = `${session.name}=${session.value}`;
  endStream = await watch.readStream(`${adminUrl}/api/changes`, { cookie });
}

test.describe('100,000 installations', { tag: '@long' }, () => {
  test.beforeAll(async ({ browser }) => {
    test.setTimeout(600_000);
    folder = await mkdtemp(join(tmpdir(), 'dowel-fleet-'));
    const path = await seedFleet();
    database = new DatabaseSync(path, { readOnly: true });
    const signInUrl = await startBackEnd();
    context = await browser.newContext({ viewport: { width: 1400, height: 900 }, locale: 'en-GB' });
    watch.follow(context);
    page = await context.newPage();
    page.setDefaultTimeout(60_000);
    page.on('request', (request) => {
      if (request.url().includes('/fleet/installations?')) listRequests.push(request.url());
    });
    await page.goto(signInUrl);
    await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
    await watchOperator(signInUrl);
  });

  test.afterEach(() => watch.keepPage(page));

  test.afterAll(async () => {
    await endStream?.();
    await context?.close();
    database?.close();
    if (child?.exitCode === null) {
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
    }
    await rm(folder, { recursive: true });
  });

  test('the overview counts all of them, and names the one that is broken longest', async () => {
    const installed = count(`condition <> 'uninstalled'`);
    await expect(page.getByText(`of ${said(installed)} installations`)).toBeVisible();
    await expect(page.getByRole('link', { name: 'Scope missing' })).toBeVisible();
    await expect(page.getByRole('link', { name: hostOf(longestBroken.index) })).toBeVisible();
  });

  /** Of the pages as they are at the start. */
  test('pictures for docs/dashboard.md', async ({ browser }) => {
    test.skip(!picturesFolder, 'DOWEL_PICTURES names no folder');
    const broken = '/installations?group=broken';
    const tenant = seededId(longestBroken.index);
    const desk = { viewport: { width: 1400, height: 900 }, locale: 'en-GB' };
    const phone = { viewport: { width: 390, height: 844 }, locale: 'en-GB', deviceScaleFactor: 2 };
    const dark = { ...desk, locale: 'de-DE', colorScheme: 'dark' } as const;
    /** Name, path, how it is shown, and a text that comes last. */
    const pictures = [
      ['overview-light', '/', desk, 'Duration of calls'],
      ['installations-light', broken, desk, 'Refresh token refused'],
      ['installation-dark-de', `/installations/${tenant}`, dark, 'Token erhalten'],
      ['events-light', '/events', desk, '201 accepted'],
      ['keys-light', '/keys', desk, /^Counted/],
      ['audit-dark-de', '/audit', dark, 'jonas.weber'],
      ['overview-phone', '/', phone, 'Duration of calls'],
      ['installations-phone', broken, phone, 'Refresh token refused'],
      ['alerts-light', '/alerts', desk, 'Open alerts'],
    ] as const;
    const storageState = await context.storageState();
    for (const [name, path, options, text] of pictures) {
      const other = await browser.newContext({ ...options, storageState });
      const shown = await other.newPage();
      await shown.goto(`${adminUrl}${path}`);
      await expect(shown.getByText('Live', { exact: true })).toBeVisible();
      await expect(shown.getByText(text).first()).toBeAttached({ timeout: 120_000 });
      await savePicture(shown, `dashboard-${name}`);
      await other.close();
    }
  });

  test('the list keeps few rows in the document, however far one scrolls', async () => {
    await page.goto(`${adminUrl}/installations`);
    await expect(footer(new RegExp(`of ${said(installations)}`))).toBeVisible();
    expect(await rows().count()).toBeLessThan(60);

    for (let presses = 0; presses < 150; presses += 1) await page.keyboard.press('j');

    await expect(footer(/^(?!1–)[\d,]+–[\d,]+ of /)).toBeVisible();
    expect(await rows().count()).toBeLessThan(60);
  });

  test('the tenant broken longest is the first, with since when and what happens next', async () => {
    await page.goto(`${adminUrl}/installations?group=broken`);

    const first = rows().first();
    await expect(first).toContainText(hostOf(longestBroken.index));
    await expect(first).toContainText('11 d');
    await expect(first).toContainText('Refresh token refused');
    await expect(first).toContainText(/Asks again/);
  });

  test('a cause is counted to the last one', async () => {
    const missing = count(`cause = 'scope_missing' and condition = 'awaiting'`);
    const refused = count(`cause = 'scope_missing' and condition = 'refused'`);

    const causes = page.getByRole('navigation', { name: 'By cause' });
    await causes.getByRole('link', { name: /^Scope missing/ }).click();

    await expect(footer(new RegExp(`of ${said(missing + refused)} ·`))).toBeVisible();
  });

  test('a search by any part of a host finds the one, and the address holds it', async () => {
    const host = hostOf(54_321);
    await page.goto(`${adminUrl}/installations`);
    await expect(footer(new RegExp(`of ${said(installations)}`))).toBeVisible();
    await page.keyboard.press('/');
    await page.keyboard.type(host.slice(1, 12));

    await expect(rows()).toHaveCount(1);
    await expect(rows().first()).toContainText(host);
    await page.reload();
    await expect(rows()).toHaveCount(1);
  });

  test('the keyboard alone opens an installation and comes back to the same row', async () => {
    await page.goto(`${adminUrl}/installations?group=broken`);
    await expect(rows().nth(3)).toBeVisible();
    const host = (await rows().nth(2).getByRole('link').textContent()) ?? '';
    for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(host);

    await page.goBack();

    await expect(rows().nth(2)).toContainText(host);
  });

  test('a change reaches the rows that are shown, and the list is not loaded again', async () => {
    await page.goto(`${adminUrl}/installations?sort=host`);
    await expect(rows().first().getByRole('link')).toBeVisible();
    const path = await rows().first().getByRole('link').getAttribute('href');
    const id = path?.split('/').at(-1);
    listRequests = [];

    const answer = await page.request.post(`${adminUrl}/api/installations/${id}/actions/pause`, {
      headers: { 'x-dowel-csrf': '1' },
      data: { reason: 'planned work of the tenant' },
    });
    expect(answer.status()).toBe(200);

    await expect(rows().first()).toContainText('Paused');
    expect(listRequests).toEqual([]);
  });

  test('a run acts on all of one cause, shows its progress, and stops', async () => {
    await page.goto(`${adminUrl}/installations?group=broken&cause=scope_missing`);
    await page.getByRole('button', { name: 'Act on all that match' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('the scope is granted again');
    await dialog.getByRole('button', { name: /^Ask for a new event/ }).click();
    await page.getByRole('button', { name: /^Stop/ }).click();

    await expect(page.getByText(/^(?:Stopping|Stopped) · /)).toBeVisible();
  });

  test('the whole list is exported', async () => {
    const answer = await page.request.get(`${adminUrl}/api/fleet/export?format=csv`);

    expect(answer.status()).toBe(200);
    const text = await answer.text();
    watch.keep('the export', text);
    expect(text.trimEnd().split('\n')).toHaveLength(installations + 1);
  });

  test('E09: no answer, page, stream or export of this fleet has a secret, in any encoding', async () => {
    for (const seen of [hostOf(longestBroken.index), 'event: changed']) {
      expect(await watch.hasSeen(seen), seen).toBe(true);
    }
    expect(await watch.findLeaks()).toEqual([]);
  });

  for (const { colorScheme, locale } of [
    { colorScheme: 'light', locale: 'en-GB' },
    { colorScheme: 'dark', locale: 'de-DE' },
  ] as const) {
    test(`no page of this fleet has an accessibility violation: ${colorScheme}, ${locale}`, async ({
      browser,
    }) => {
      const storageState = await context.storageState();
      const other = await browser.newContext({ colorScheme, locale, storageState });
      const shown = await other.newPage();
      for (const path of ['/', '/installations?group=broken', '/events', '/audit']) {
        await shown.goto(`${adminUrl}${path}`);
        await expect(shown.getByRole('table').first()).toBeVisible();
        const { violations } = await new AxeBuilder({ page: shown }).analyze();
        expect(violations.map(({ id, nodes }) => `${path} ${id}: ${nodes[0]?.html}`)).toEqual([]);
      }
      await other.close();
    });
  }
});

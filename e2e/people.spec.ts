/** People get in by a link, change their passwords and end sessions, in Chromium, on the processes of `npm start`. */
import { type Browser, expect, type Page, test } from '@playwright/test';
import { expectNoAxeViolations } from './expect-no-axe-violations.ts';
import { createSecretWatch } from './secret-watch.ts';
import { type Stack, startStack } from './start-stack.ts';

test.describe.configure({ mode: 'serial' });

const first = 'four words will do';
const second = 'another few words';

let stack: Stack;
let owner: Page;
let colleague: Page;
let link: string;
const watch = createSecretWatch();

async function openPage(browser: Browser, width = 1280): Promise<Page> {
  const context = await browser.newContext({ viewport: { width, height: 860 } });
  watch.follow(context);
  return context.newPage();
}

const overview = (page: Page) => page.getByRole('heading', { name: 'Overview' });

async function signIn(page: Page, password: string): Promise<void> {
  await page.goto(`${stack.adminUrl}sign-in`);
  await page.getByLabel('Name').fill('grace');
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

test.beforeAll(async ({ browser }) => {
  stack = await startStack();
  // The link of a password is read from the page of the owner, who may see it.
  owner = await (await browser.newContext()).newPage();
  colleague = await openPage(browser);
});

test.afterAll(async () => {
  await owner?.context().close();
  await colleague?.context().close();
  expect(await stack?.stop()).toBe(0);
});

test('an owner adds an account, and gets a link for its person', async () => {
  await owner.goto(stack.signInUrl);
  await owner.getByRole('navigation').getByRole('link', { name: 'People' }).click();
  await expect(owner.getByText('Owners sign in with one-time codes')).toBeVisible();
  await owner.getByRole('button', { name: 'Add account' }).click();
  const dialog = owner.getByRole('dialog');
  await dialog.getByLabel('Name').fill('grace');
  await dialog.getByLabel('Reason').fill('a new colleague');
  await expectNoAxeViolations(owner);

  await dialog.getByRole('button', { name: 'Add account' }).click();

  link = (await dialog.getByText('/admin/password#code=').textContent()) ?? '';
  watch.learn([new URL(link).hash.replace('#code=', ''), first, second]);
  await expectNoAxeViolations(owner);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(owner.getByRole('row', { name: /grace/ })).toContainText('Link until');
});

test('the person sets the password by the link, once', async ({ browser }) => {
  await colleague.goto(link);
  await expect(colleague.getByLabel('Account')).toHaveValue('grace');
  expect(colleague.url()).not.toContain('code');
  await expectNoAxeViolations(colleague);
  await colleague.getByLabel('New password', { exact: true }).fill(first);
  await colleague.getByLabel('New password again').fill(first);
  await colleague.getByRole('button', { name: 'Set and sign in' }).click();
  await expect(overview(colleague)).toBeVisible();

  const stranger = await openPage(browser);
  await stranger.goto(link);
  await expect(stranger.getByRole('alert')).toContainText('This link was used already');
  await stranger.goto(`${stack.adminUrl}password`);
  await expect(stranger.getByRole('alert')).toContainText('This link does not work');
  await stranger.context().close();
});

test('who changes the password stays signed in, and is signed out elsewhere', async ({
  browser,
}) => {
  const phone = await openPage(browser, 390);
  await signIn(phone, first);
  await expect(overview(phone)).toBeVisible();
  await colleague.getByRole('button', { name: 'Change password' }).click();
  const dialog = colleague.getByRole('dialog');
  await dialog.getByLabel('Present password').fill('a wrong guess');
  await dialog.getByLabel('New password', { exact: true }).fill(second);
  await dialog.getByLabel('New password again').fill(second);
  await dialog.getByRole('button', { name: 'Change password' }).click();
  await expect(dialog.getByRole('alert')).toContainText('This is not your present password.');

  await dialog.getByLabel('Present password').fill(first);
  await dialog.getByRole('button', { name: 'Change password' }).click();

  await expect(dialog.getByRole('status')).toContainText('Your password is changed.');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await colleague.reload();
  await expect(overview(colleague)).toBeVisible();
  await phone.reload();
  await expect(phone.getByLabel('One-time code')).toBeVisible();
  await signIn(phone, second);
  await expect(overview(phone)).toBeVisible();
  await phone.context().close();
});

test('a person sees the own sessions, and ends all others', async () => {
  await colleague.getByRole('navigation').getByRole('link', { name: 'People' }).click();
  const sessions = colleague.getByRole('table', { name: 'Your sessions' }).locator('tbody tr');
  await expect(sessions).toHaveCount(2);
  await expect(sessions.filter({ hasText: 'This session' })).toContainText('Chrome on Linux');
  await expectNoAxeViolations(colleague);

  await colleague.getByRole('button', { name: 'End my other sessions' }).click();
  await colleague.getByRole('dialog').getByLabel('Reason').fill('a borrowed phone');
  await colleague.keyboard.press('Enter');
  await colleague.getByRole('dialog').getByRole('button', { name: 'Close' }).click();

  await expect(sessions).toHaveCount(1);
});

test('no page, request or log line has a link or a password', async () => {
  await watch.keepPage(colleague);
  watch.keep('the output of the processes', await stack.readOutput());

  expect(await watch.hasSeen('operator.signed_in')).toBe(true);
  expect(await watch.findLeaks()).toEqual([]);
});

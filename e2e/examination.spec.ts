/** The doctor in the emulator's pages: a back end with one mistake. */
import { type PlainBackEnd, startPlainBackEnd } from '@dowel/conformance/testing';
import { type RunningPlatform, startPlatform } from '@dowel/dev';
import { expect, test } from '@playwright/test';
import { expectNoAxeViolations } from './expect-no-axe-violations.ts';

// The tests select by English texts.
test.use({ locale: 'en-GB' });

let backEnd: PlainBackEnd;
let running: RunningPlatform;

test.beforeAll(async () => {
  backEnd = await startPlainBackEnd({ mistake: 'page.framing' });
  running = await startPlatform({
    port: 0,
    sampleManifestUrl: backEnd.manifestUrl,
    onError: (error) => {
      throw error;
    },
    platform: { keyBits: 2048 },
  });
  await backEnd.trust(running.url);
});

test.afterAll(async () => {
  await running?.close();
  await backEnd?.close();
});

test('a back end is examined while its plug-in stays installed', async ({ page }) => {
  const { tenantId = '', users = [] } = running.platform.tenants[0] ?? {};
  await running.platform.install({ tenantId, manifestUrl: backEnd.manifestUrl });
  const requests = running.platform.exchanges().length;
  await page.goto(running.platform.signInUrl(users[0]?.userId ?? '', '/#/plugins'));

  await page.getByRole('button', { name: 'Examine this back end' }).click();
  // Its first user reads German.
  const examination = page.getByRole('region', { name: 'Schlicht' });
  await expect(examination.getByRole('progressbar')).toBeVisible();
  await expectNoAxeViolations(page);

  await expect(examination.getByText('1 must failed')).toBeVisible();
  const findings = examination.getByRole('listitem');
  await expect(findings).toHaveCount(1);
  await expect(findings).toContainText('page.framing');
  await expect(findings).toContainText(/Saw: It answers with frame-ancestors 'none'/);
  await findings.getByText('Why, and how it is seen').click();
  await expect(findings).toContainText('The browser shows an empty frame');
  await expect(examination.getByText(`dowel doctor ${backEnd.manifestUrl}`)).toBeVisible();
  await expectNoAxeViolations(page);
  expect(running.platform.exchanges()).toHaveLength(requests);

  await page.reload();
  await expect(examination.getByText('1 must failed')).toBeVisible();
});

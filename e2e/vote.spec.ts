/** The React template, as its README says: its page is built, it is installed, and a person votes in Chromium. */
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from '@dowel/dev/playwright';
import { expect } from '@playwright/test';
import { runStep } from '../scripts/run-step.ts';

const pathOf = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const example = pathOf('packages/create-dowel/template-react');

// The tests select by English texts, and Priya reads English.
const priya = 'a1b5c0de-1c1f-4d0a-9c55-0a6d2f3b4c03';

test.use({
  locale: 'en-GB',
  userId: priya,
  plugin: [
    async ({ plugin }, use) => {
      const cwd = await buildPage();
      await use({ ...plugin, command: [process.execPath, join(example, 'server/main.ts')], cwd });
      await rm(cwd, { recursive: true });
    },
    { scope: 'worker' },
  ],
});

/** Returns a folder of its own: other tests build the example's page, too. */
async function buildPage(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dowel-vote-'));
  const vite = pathOf('packages/create-dowel/node_modules/vite/bin/vite.js');
  const args = [vite, 'build', '--logLevel', 'error', '--outDir', join(folder, 'dist')];
  const { code } = await runStep(process.execPath, args, { cwd: example });
  expect(code).toBe(0);
  await copyFile(join(example, 'manifest.json'), join(folder, 'manifest.json'));
  return folder;
}

let complaints: string[];

test.beforeEach(({ page, platform, tenant }) => {
  // The story's platform composes it of tenant and instance.
  platform.changeLab(tenant.tenantId, { forms: { src: 'instance' } });
  complaints = [];
  page.on('console', (message) => {
    // What a content security policy refuses, and headers that the browser ignores.
    if (/-src|Origin-Agent/.test(message.text())) complaints.push(message.text());
  });
});

test('a person votes once, and the page needs nothing that its policy refuses', async ({
  widget,
}) => {
  await widget.getByRole('button', { name: 'Salad' }).click();
  await expect(widget.getByText('Soup 0, salad 1')).toBeVisible();
  await widget.getByRole('button', { name: 'Soup' }).click();

  await expect(widget.getByText('You have voted already')).toBeVisible();
  expect(complaints).toEqual([]);
});

/** The React template, as its README says: its page is built, it is installed, and a person votes in Chromium. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { failAtExit } from '@dowel/installation-store/testing';
import { startOnUnusedPort } from '@dowel/settings/testing';
import { expect, test } from '@playwright/test';
import { runStep } from '../scripts/run-step.ts';

const pathOf = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const example = pathOf('packages/create-dowel/template-react');

// The test selects by English texts.
test.use({ locale: 'en-GB' });

let folder: string;
const children: ChildProcess[] = [];

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowel-vote-'));
});

test.afterAll(async () => {
  for (const child of children) {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }
  await rm(folder, { recursive: true });
});

/** Into a folder of its own: other tests build the example's, too. */
async function buildPage(): Promise<void> {
  const vite = pathOf('packages/create-dowel/node_modules/vite/bin/vite.js');
  const args = [vite, 'build', '--logLevel', 'error', '--outDir', join(folder, 'dist')];
  const { code } = await runStep(process.execPath, args, { cwd: example });
  expect(code).toBe(0);
  await copyFile(join(example, 'manifest.json'), join(folder, 'manifest.json'));
}

async function startEmulator(port: number): Promise<string> {
  const child = fork(pathOf('apps/emulator/src/main.ts'), {
    env: {
      ...process.env,
      EMULATOR_PORT: String(port),
      EMULATOR_STATE: join(folder, 'platform'),
      // The story's platform composes it of tenant and instance.
      EMULATOR_SRC: 'instance',
    },
    execArgv: [],
    silent: true,
  });
  const [message] = await Promise.race([once(child, 'message'), failAtExit(child)]);
  children.push(child);
  return (message as { url: string }).url;
}

/** Resolves with its URL. */
async function startBackEnd(emulatorUrl: string): Promise<string> {
  const child = spawn(process.execPath, [join(example, 'server/main.ts')], {
    cwd: folder,
    env: {
      ...process.env,
      DOWEL_PORT: '0',
      DOWEL_DATA_DIR: join(folder, 'data'),
      DOWEL_TRUST: `${emulatorUrl}=${emulatorUrl}/certificates/`,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  for await (const line of createInterface(child.stdout)) {
    const { msg, url } = JSON.parse(line) as { msg: string; url: string };
    if (msg !== 'plugin.started') continue;
    child.stdout.resume();
    return url;
  }
  throw new Error('The back end did not start');
}

test('a person installs the poll, places it, and votes once', async ({ page }) => {
  await buildPage();
  const emulatorUrl = await startOnUnusedPort(startEmulator);
  const url = await startBackEnd(emulatorUrl);
  const complaints: string[] = [];
  page.on('console', (message) => {
    // What a content security policy refuses, and headers that the browser ignores.
    if (/-src|Origin-Agent/.test(message.text())) complaints.push(message.text());
  });
  await page.goto(emulatorUrl);
  await page.getByRole('button', { name: 'Priya Nair' }).click();
  const visit = (name: string) =>
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click();

  await visit('Plug-ins');
  await page.getByRole('textbox', { name: 'Manifest URL' }).fill(`${url}/manifest.json`);
  await page.getByRole('button', { name: 'Install', exact: true }).click();
  const card = page.getByRole('region', { name: 'Lunch poll' });
  await card.getByRole('button', { name: 'Place widget' }).click();
  await visit('Home');
  const poll = page.frameLocator('iframe[title="Lunch poll"]');
  await poll.getByRole('button', { name: 'Soup' }).click();

  await expect(poll.getByText('Soup 1, salad 0')).toBeVisible();
  expect(complaints).toEqual([]);
  await poll.getByRole('button', { name: 'Salad' }).click();
  await expect(poll.getByText('You have voted already')).toBeVisible();
});

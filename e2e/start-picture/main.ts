/**
 * `pnpm pictures`: the moving picture of the README. It creates a plug-in from the packed packages, develops it, revokes its
 * tokens and sends a notification. All that the picture shows was printed, or seen in Chromium.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { chromium, expect, type FrameLocator, type Locator, type Page } from '@playwright/test';
import { requireChromium } from '../../scripts/find-chromium.ts';
import { packPackages, run } from '../../scripts/pack-packages.ts';
import { root } from '../../scripts/run-step.ts';
import { drawPicture, type Step, screen } from './draw-picture.ts';

const target = join(root, 'docs/images/start.svg');
const platformUrl = 'http://localhost:4300';
const waitMs = 60_000;

interface Dev {
  child: ChildProcess;
  /** What it has printed. */
  lines: string[];
}

/** Returns the terminal's lines for the two commands. npm names the packages of a registry in the same words. */
async function create(folder: string): Promise<string[]> {
  const tarballs = join(folder, 'tarballs');
  await packPackages(tarballs);
  const program = join(root, 'packages/create-dowel/src/main.ts');
  const printed = await run(folder, process.execPath, program, 'lunch', '--packages', tarballs);
  const lines = printed.split('\n').filter((line) => !/^npm |funding|npm fund/.test(line));
  return ['$ npm create dowel lunch', ...withoutEmptyTwins(lines)];
}

const withoutEmptyTwins = (lines: readonly string[]) =>
  lines.filter((line, index) => line !== '' || (index > 0 && lines[index - 1] !== ''));

function develop(cwd: string): Dev {
  const child = spawn('npm', ['run', 'dev'], { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  createInterface(child.stdout).on('line', (line) => lines.push(stripVTControlCharacters(line)));
  return { child, lines };
}

/** What the platform and the plug-in said to each other, without the log of the back end, and without the key in the link. */
const seenLines = ({ lines }: Dev) =>
  lines
    .filter((line) => /^\S+ (dev|event|token|platform) /.test(line))
    .map((line) => line.replace(/(?<=token=).*/, '…'));

async function takeSteps(page: Page, dev: Dev): Promise<Step[]> {
  const widget = page.frameLocator('iframe[title="Lunch poll"]');
  const shoot = async (title: string, lines: readonly string[]): Promise<Step> => ({
    title,
    lines,
    screenshot: await toWebp(page, await page.screenshot({ animations: 'disabled' })),
    address: page.url().replace('http://', ''),
  });
  const command = '$ cd lunch && npm run dev';
  await expect(() => expect(dev.lines.join()).toContain('instance_add → 201')).toPass({
    timeout: waitMs,
  });
  await page.goto(platformUrl);
  await page.getByRole('button', { name: 'Priya Nair' }).click();
  await widget.getByRole('button', { name: 'Soup' }).click();
  await expect(widget.getByRole('status')).toHaveText('Soup 1, salad 0');
  await invite(widget);
  await center(page.locator('iframe'));
  const developed = await shoot('Develop', [command, ...seenLines(dev)]);

  await page.getByRole('link', { name: 'Plug-ins' }).click();
  const installation = page.getByRole('region', { name: 'Lunch poll' });
  await installation.getByRole('button', { name: 'Revoke access tokens' }).click();
  await installation.getByRole('button', { name: 'Revoke refresh tokens' }).click();
  await expect(page.getByText(/revoked/i).first()).toBeVisible();
  // The messages at the bottom hide no button that was pressed.
  await center(installation.getByRole('button', { name: 'Uninstall' }));
  const revoked = await shoot('Tokens revoked', [command, ...seenLines(dev)]);

  const before = seenLines(dev).length;
  await page.getByRole('link', { name: 'Home' }).click();
  await invite(widget);
  await center(page.locator('iframe'));
  const healed = await shoot('Healed', seenLines(dev).slice(before));
  return [developed, revoked, healed];
}

async function invite(widget: FrameLocator): Promise<void> {
  await widget.getByRole('textbox').fill('tomasz.kowalski@acme.example');
  await widget.getByRole('button', { name: 'Ask', exact: true }).click();
  await expect(widget.getByText('The notification was sent')).toBeVisible();
}

const center = (locator: Locator) =>
  locator.evaluate((element) => element.scrollIntoView({ block: 'center' }));

/** Returns the picture in a third of the bytes, in base64. */
async function toWebp(page: Page, png: Buffer): Promise<string> {
  const helper = await page.context().newPage();
  const url = await helper.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (each) => each.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes]));
    const canvas = document.createElement('canvas');
    canvas.width = bitmap.width;
    canvas.height = bitmap.height;
    canvas.getContext('2d')?.drawImage(bitmap, 0, 0);
    return canvas.toDataURL('image/webp', 0.85);
  }, png.toString('base64'));
  await helper.close();
  return url.replace(/^.*,/, '');
}

const folder = await mkdtemp(join(tmpdir(), 'dowel-picture-'));
const browser = await chromium.launch({ executablePath: await requireChromium() });
let dev: Dev | undefined;
try {
  const created = await create(folder);
  dev = develop(join(folder, 'lunch'));
  const context = await browser.newContext({
    locale: 'en-GB',
    viewport: screen,
    deviceScaleFactor: 2,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(waitMs);
  const steps = await takeSteps(page, dev);
  const first = { title: 'Create', lines: created, screenshot: undefined, address: '' };
  const description =
    'Two commands create a plug-in and show it in the emulated platform. After its tokens were revoked, it gets new ones by itself.';
  await writeFile(target, drawPicture([first, ...steps], description));
} finally {
  await browser.close();
  if (dev) {
    const ended = once(dev.child, 'close');
    dev.child.kill('SIGTERM');
    await ended;
  }
  await rm(folder, { recursive: true });
}

/**
 * Ten tasks of an operator in real Chromium, at 100,000 installations: each is done, its clicks and keys are counted,
 * and the seconds follow from the keystroke-level model (Card, Moran and Newell). `pnpm --filter @dowel/bench run tasks`;
 * `--write` renews docs/benchmarks.md. BENCH_INSTALLATIONS takes another size; BENCH_PICTURES=<folder> keeps a picture
 * of every page, in both themes, in German and on a phone.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  longestBroken,
  makeSampleFleet,
  nightDesk,
  seededId,
  withoutScope,
} from '@dowel/installation-store/testing';
import { type BrowserContextOptions, chromium, type Locator, type Page } from '@playwright/test';
import { requireChromium } from '../scripts/find-chromium.ts';
import type { ServerCommands } from './dashboard-server.ts';
import { cookieAt, seedFolder, signIn } from './dashboard-world.ts';
import { table } from './markdown-table.ts';
import { reportSection } from './report-section.ts';
import { startChild } from './tokens-ipc.ts';

const { BENCH_INSTALLATIONS = '100000', BENCH_PICTURES } = process.env;
const installations = Number(BENCH_INSTALLATIONS);
const childLimitMs = 600_000;
const reason = 'scope granted again';

/** Seconds of one step: to point and click, to press a key, to decide, to read an answer. */
const model = { click: 1.3, key: 0.28, decide: 1.35, read: 2 };

/** Clicks and types, and counts both. */
interface Hand {
  page: Page;
  clicks: number;
  keys: number;
  click(target: Locator): Promise<void>;
  press(key: string): Promise<void>;
  type(text: string): Promise<void>;
}

interface Task {
  what: string;
  /** The same task before this dashboard. */
  before: string;
  aimSeconds: number;
  /** @returns the element with the answer. */
  perform(hand: Hand): Promise<Locator>;
}

const tasks: readonly Task[] = [
  {
    what: 'is the fleet healthy, and if not, how many are broken and since when',
    before: 'not possible: "10,000+", refused installs invisible',
    aimSeconds: 3,
    perform: async ({ page }) => page.getByText(/^Without access for less than an hour: [\d,]+/),
  },
  {
    what: 'the most frequent cause, and how many have it',
    before: 'not possible: the same alert for every cause',
    aimSeconds: 3,
    perform: async ({ page }) => page.getByRole('link', { name: 'Scope missing' }),
  },
  {
    what: 'the tenant broken longest: since when, why, what next',
    before: 'not possible: no sorting, the latest failure only',
    aimSeconds: 5,
    perform: async ({ page }) => page.getByRole('row').filter({ hasText: '11 d' }),
  },
  {
    what: 'what helps this tenant',
    before: 'not possible: nothing said it',
    aimSeconds: 8,
    async perform({ page, click }) {
      await click(page.getByRole('link', { name: longestBroken.name }));
      return page.getByText('What you can do');
    },
  },
  {
    what: 'find a tenant by four letters',
    before: 'up to 28 times "Load more"',
    aimSeconds: 5,
    async perform({ page, press, type }) {
      await press('Control+k');
      await page.getByRole('dialog').getByRole('textbox').waitFor();
      await type('hafe');
      await page.getByRole('dialog').getByText(withoutScope.name).waitFor();
      await press('Enter');
      return page.getByRole('heading', { name: withoutScope.name });
    },
  },
  {
    what: 'ask for a new event for one tenant',
    before: 'not possible: no action',
    aimSeconds: 15,
    async perform({ page, click, type }) {
      await click(page.getByRole('link', { name: longestBroken.name }));
      await click(page.getByRole('button', { name: 'Ask for a new event' }));
      await type(reason);
      const dialog = page.getByRole('dialog');
      await click(dialog.getByRole('button', { name: 'Ask for a new event' }));
      // The platforms of these tenants do not exist, so the answer is a failure.
      return dialog.getByRole('alert').or(dialog.getByRole('status'));
    },
  },
  {
    what: 'ask for all of one cause, watch, stop',
    before: 'not possible: no action',
    aimSeconds: 25,
    async perform({ page, click, type }) {
      await click(page.getByRole('link', { name: 'Scope missing' }));
      await click(page.getByRole('button', { name: 'Act on all that match' }));
      const dialog = page.getByRole('dialog');
      await click(dialog.getByLabel('Reason'));
      await type(reason);
      await click(dialog.getByRole('button', { name: /^Ask for a new event/ }));
      await click(page.getByRole('button', { name: /^Stop/ }));
      return page.getByText(/^(?:Stopping|Stopped) · /);
    },
  },
  {
    what: 'everything one person did yesterday',
    before: 'not possible: no audit',
    aimSeconds: 12,
    async perform({ page, click }) {
      await click(page.getByRole('link', { name: 'Audit' }));
      await click(page.getByText('Yesterday', { exact: true }));
      await click(page.getByRole('link', { name: nightDesk }).first());
      return page.getByRole('table').getByText(nightDesk).first();
    },
  },
  {
    what: 'where the burst of refused events at 03:00 came from',
    before: 'not possible: not stored',
    aimSeconds: 8,
    async perform({ page, click }) {
      await click(page.getByRole('link', { name: 'Refused', exact: true }));
      return page.getByRole('cell', { name: 'intranet-hafenstadt.example.org' }).first();
    },
  },
  {
    what: 'is the key rotation done, and which key may be removed',
    before: 'by a command on the host only',
    aimSeconds: 6,
    async perform({ page, click }) {
      await click(page.getByRole('link', { name: 'Keys & trust' }));
      return page.getByText('One key seals everything. No rotation is under way.');
    },
  },
];

const pages = {
  overview: '/',
  installations: '/installations?group=broken',
  installation: `/installations/${seededId(withoutScope.index)}`,
  healthy: `/installations/${seededId(10)}`,
  refused: '/refused',
  hooks: '/hooks',
  alerts: '/alerts',
  keys: '/keys',
  audit: '/audit',
  people: '/people',
  settings: '/settings',
};

const looks: Record<string, BrowserContextOptions> = {
  light: { colorScheme: 'light' },
  'dark-de': { colorScheme: 'dark', locale: 'de-DE' },
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 },
};

const folder = await mkdtemp(join(tmpdir(), 'dowel-bench-tasks-'));
const server = startChild<ServerCommands>('./dashboard-server.ts', [], childLimitMs);
const browser = await chromium.launch({
  executablePath: await requireChromium(),
  args: ['--no-sandbox'],
});
try {
  const now = Date.now();
  makeSampleFleet(await seedFolder(folder, installations, now), installations, now);
  const { url, code } = await server.ask('open', folder);
  const cookie = await signIn(url, code);
  await nameTenants(url, cookie);
  const rows: string[][] = [];
  for (const task of tasks) rows.push(await measure(task, { url, cookie }));
  const head = ['task', 'clicks', 'keys', 'seconds', 'aim', 'of which the machine, ms', 'before'];
  await reportSection('tasks', table(head, rows));
  if (BENCH_PICTURES) await takePictures({ url, cookie, to: BENCH_PICTURES });
} finally {
  await Promise.all([browser.close(), server.end()]);
  await rm(folder, { recursive: true });
}

async function nameTenants(url: string, cookie: string): Promise<void> {
  for (const { index, name } of [longestBroken, withoutScope]) {
    const answer = await fetch(`${url}/admin/api/installations/${seededId(index)}/actions/name`, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json', 'x-dowel-csrf': '1' },
      body: JSON.stringify({ reason: 'as in the contract', name }),
    });
    if (!answer.ok) throw new Error(`${name} was answered with ${answer.status}`);
  }
}

interface Signed {
  url: string;
  cookie: string;
}

/** Each task begins on the overview. */
async function measure(task: Task, { url, cookie }: Signed): Promise<string[]> {
  const context = await browser.newContext({ viewport: { width: 1_400, height: 900 } });
  await context.addCookies([cookieAt(url, cookie)]);
  const page = await context.newPage();
  await page.goto(`${url}/admin/`);
  await page.getByRole('heading', { name: 'Broken longest' }).waitFor();
  const hand = createHand(page);
  const startedAt = performance.now();
  await (await task.perform(hand)).waitFor();
  const machineMs = performance.now() - startedAt;
  await context.close();
  const { clicks, keys } = hand;
  const decisions = clicks + (keys > 0 ? 1 : 0);
  const seconds =
    clicks * model.click +
    keys * model.key +
    decisions * model.decide +
    model.read +
    machineMs / 1_000;
  return [
    task.what,
    String(clicks),
    String(keys),
    seconds.toFixed(1),
    String(task.aimSeconds),
    machineMs.toFixed(0),
    task.before,
  ];
}

function createHand(page: Page): Hand {
  const hand: Hand = {
    page,
    clicks: 0,
    keys: 0,
    async click(target) {
      await target.click();
      hand.clicks += 1;
    },
    async press(key) {
      await page.keyboard.press(key);
      hand.keys += key.split('+').length;
    },
    async type(text) {
      await page.keyboard.type(text);
      hand.keys += text.length;
    },
  };
  return hand;
}

async function takePictures({ url, cookie, to }: Signed & { to: string }): Promise<void> {
  for (const [look, options] of Object.entries(looks)) {
    const context = await browser.newContext({
      viewport: { width: 1_400, height: 900 },
      ...options,
    });
    await context.addCookies([cookieAt(url, cookie)]);
    const page = await context.newPage();
    for (const [name, path] of Object.entries(pages)) {
      await page.goto(`${url}/admin${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForTimeout(1_500);
      await page.screenshot({ path: join(to, `${name}-${look}.png`), animations: 'disabled' });
    }
    await context.close();
  }
}

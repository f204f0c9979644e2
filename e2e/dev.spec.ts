/** `dowel dev` with the React template, as an author sees it in Chromium. The first user of the platform reads German. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startOnUnusedPort } from '@dowel/settings/testing';
import { expect, type Page, test } from '@playwright/test';

const pathOf = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

let folder: string;
let dev: ChildProcess | undefined;
let foreign: Server | undefined;
/** What `dowel dev` said. */
let lines: string[];

test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowel dev ü-'));
  const isSource = (path: string) => !/node_modules|\/dist$/.test(path);
  await cp(pathOf('packages/create-dowel/template-react'), folder, {
    recursive: true,
    filter: isSource,
  });
  // A folder of its own for what Vite prepares.
  await mkdir(join(folder, 'node_modules'));
  for (const name of ['@dowel', '@vitejs', 'react', 'react-dom', 'vite', 'zod']) {
    const installed = pathOf(`packages/create-dowel/node_modules/${name}`);
    await symlink(installed, join(folder, 'node_modules', name));
  }
  lines = [];
});

test.afterEach(async () => {
  await stop();
  foreign?.close();
  await rm(folder, { recursive: true });
});

interface Started {
  port: number;
  platformPort: number;
  url: string;
  link: string;
}

function start(): Promise<Started> {
  return startOnUnusedPort((port) =>
    startOnUnusedPort((platformPort) => startAt({ port, platformPort })),
  );
}

async function startAt({ port, platformPort }: { port: number; platformPort: number }) {
  const ports = ['--port', String(port), '--platform-port', String(platformPort)];
  const child = spawn(
    process.execPath,
    [pathOf('packages/dev/src/main.ts'), 'dev', '--json', ...ports],
    { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  dev = child;
  let errors = '';
  child.stderr.on('data', (data: Buffer) => {
    errors += data.toString();
  });
  const link = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      const { text } = JSON.parse(line) as { text: string };
      lines.push(text);
      if (text.startsWith('Open it: ')) resolve(text.slice(9));
    });
    child.once('close', () => reject(new Error(errors)));
  });
  return { port, platformPort, url: `http://localhost:${port}`, link };
}

async function stop(): Promise<void> {
  if (dev?.exitCode !== null || dev.signalCode !== null) return;
  const ended = once(dev, 'close');
  dev.kill('SIGTERM');
  await ended;
}

/** As many editors save: beside the file, and renamed. */
async function change(name: string, from: string, to: string): Promise<void> {
  const path = join(folder, name);
  const text = await readFile(path, 'utf8');
  expect(text).toContain(from);
  await writeFile(`${path}.tmp`, text.replace(from, to));
  await rename(`${path}.tmp`, path);
}

async function open(page: Page, link: string) {
  await page.goto(link);
  const poll = page.frameLocator('iframe[title="Mittagsumfrage"]');
  await expect(poll.getByText('Was gibt es zum Mittagessen?')).toBeVisible();
  return poll;
}

test('saved code is shown at once, and a click during a restart arrives once', async ({ page }) => {
  const { link } = await start();
  const poll = await open(page, link);
  let handshakes = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/control/init')) handshakes += 1;
  });

  await change('src/texts.ts', "soup: 'Suppe'", "soup: 'Ramen'");
  await expect(poll.getByRole('button', { name: 'Ramen' })).toBeVisible();
  expect(handshakes).toBe(0);
  await change('server/operations.ts', 'You have voted already', 'Once is enough');
  await expect.poll(() => lines).toContain('server.stopped');
  await poll.getByRole('button', { name: 'Ramen' }).click();

  await expect(poll.getByText('Suppe 1, Salat 0')).toBeVisible();
  await poll.getByRole('button', { name: 'Ramen' }).click();
  await expect(poll.getByText('Sie haben schon abgestimmt')).toBeVisible();
});

test('@long saved code is shown after a reload, and after a restart with the page open', async ({
  page,
}) => {
  const { link, ...ports } = await start();
  const poll = await open(page, link);

  await page.reload();
  await expect(poll.getByText('Was gibt es zum Mittagessen?')).toBeVisible();
  await change('src/texts.ts', 'Was gibt es zum Mittagessen?', 'Was gibt es zum Abendessen?');
  await expect(poll.getByText('Was gibt es zum Abendessen?')).toBeVisible();
  await stop();
  const reloaded = page.waitForResponse((response) => response.url().endsWith('/control/init'));
  await startAt(ports);
  await reloaded;
  await expect(poll.getByText('Was gibt es zum Abendessen?')).toBeVisible();
  await change('src/texts.ts', 'Was gibt es zum Abendessen?', 'Was gibt es zum Nachtisch?');
  await expect(poll.getByText('Was gibt es zum Nachtisch?')).toBeVisible();
});

test('@long an inline script of the author is refused as in production, and a line says so', async ({
  page,
}) => {
  await change('index.html', '</head>', '<script>document.body.dataset.own = 1</script></head>');
  await change('index.html', '<body>', '<body><script>document.body.dataset.own = 1</script>');
  const { link } = await start();
  const refused: string[] = [];
  page.on('console', (message) => {
    if (message.text().includes('script-src')) refused.push(message.text());
  });

  const poll = await open(page, link);

  expect(await poll.locator('body').getAttribute('data-own')).toBeNull();
  expect(refused).toHaveLength(2);
  expect(lines.filter((line) => line.startsWith('index.html has an inline script'))).not.toEqual(
    [],
  );
});

/** A website whose sandboxed frame has the origin `null`, like the platform's. */
async function openForeign(page: Page): Promise<void> {
  foreign = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<iframe sandbox="allow-scripts" srcdoc="<p>foreign</p>"></iframe>');
  }).listen(0, '127.0.0.1');
  await once(foreign, 'listening');
  await page.goto(`http://127.0.0.1:${(foreign.address() as AddressInfo).port}/`);
  await expect(page.frameLocator('iframe').getByText('foreign')).toBeVisible();
}

/** Returns what the frame can read of each address; '' if nothing. */
function read(page: Page, addresses: string[]): Promise<string[]> {
  const body = page.frameLocator('iframe').locator('body');
  return body.evaluate(
    (_, all) =>
      Promise.all(
        all.map((address) =>
          fetch(address).then(
            (answer) => answer.text(),
            () => '',
          ),
        ),
      ),
    addresses,
  );
}

test('@long another website reads no source, whatever it asks for', async ({ page }) => {
  await mkdir(join(folder, 'public'));
  await writeFile(join(folder, 'public/note.txt'), 'note of the author');
  const { url, link } = await start();
  await open(page, link);
  const key = await readFile(join(folder, '.dowel/page-key'), 'utf8');
  await openForeign(page);

  const found = await read(page, [
    `${url}/plugin/`,
    `${url}/plugin/src/page.tsx`,
    `${url}/plugin/src/page.tsx?raw`,
    `${url}/plugin/src/page.tsx?import&raw`,
    `${url}/plugin/@fs${encodeURI(folder)}/server/operations.ts?raw`,
    `${url}/@fs${encodeURI(folder)}/server/operations.ts?raw`,
    `${url}/plugin/@/src/page.tsx?raw`,
    `${url}/plugin/@${'0'.repeat(24)}/src/page.tsx?raw`,
    `${url}/plugin/@${key.slice(0, -1)}/src/page.tsx?raw`,
    `${url}/plugin/%2e%2e/src/page.tsx?raw`,
    `${url}/plugin/..%2fsrc/page.tsx`,
    `${url}/plugin/.dowel/page-key`,
    `${url}/.dowel/page-key`,
    `${url}/plugin/note.txt`,
    `${url}/plugin/assets/index.js`,
    `${url}/plugin/vite.config.ts?raw`,
    `${url}/plugin/node_modules/vite/package.json`,
  ]);
  const [source = ''] = await read(page, [`${url}/plugin/@${key}/src/page.tsx?raw`]);

  expect(
    found.filter((text) => /useAutoHeight|defineOperation|author|defineConfig/.test(text)),
  ).toEqual([]);
  expect(found.filter((text) => text.includes(key))).toEqual([]);
  // The secret key is all that keeps it out.
  expect(source).toContain('useAutoHeight');
});

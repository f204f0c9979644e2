/** The fake host shows a page of Vite's own server, with the line of its README in the configuration. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { startHostPage } from '../packages/adapter/src/fake-host/start-host-page.ts';

const pathOf = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

const script = `import { createAdapter } from './dowel-adapter.js';
const { origin } = new URL(document.referrer);
const { claims } = await createAdapter({ jkuOrigins: [origin] }).init();
document.body.textContent = claims.ctx.userName as string;
`;

let folder: string;
let vite: ChildProcess | undefined;

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowel-vite-'));
  await copyFile(
    pathOf('packages/adapter/dist/dowel-adapter.js'),
    join(folder, 'dowel-adapter.js'),
  );
  await writeFile(join(folder, 'main.ts'), script);
  await writeFile(
    join(folder, 'index.html'),
    '<!doctype html><body><script type="module" src="/main.ts"></script></body>',
  );
  await writeFile(
    join(folder, 'vite.config.mjs'),
    "export default { server: { cors: { origin: 'null' } } };",
  );
});

test.afterAll(async () => {
  if (vite) {
    const ended = once(vite, 'exit');
    vite.kill();
    await ended;
  }
  await rm(folder, { recursive: true });
});

/** Resolves with its URL. */
async function startVite(): Promise<string> {
  const bin = pathOf('packages/create-dowel/node_modules/vite/bin/vite.js');
  vite = spawn(process.execPath, [bin, '--port', '0', '--host', '127.0.0.1'], {
    cwd: folder,
    env: { ...process.env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface(vite.stdout as NodeJS.ReadableStream)) {
    const [url] = /http:\/\/127\S+/.exec(line) ?? [];
    if (url) return url;
  }
  throw new Error('Vite did not start');
}

test('the fake host shows the page of Vite’s own server, which verifies its token', async ({
  page,
}) => {
  const url = await startVite();
  await using host = await startHostPage(0);

  await page.goto(`${host.origin}/?plugin=${encodeURIComponent(url)}`);

  await expect(page.frameLocator('iframe').getByText('Robin Berg')).toBeVisible();
});

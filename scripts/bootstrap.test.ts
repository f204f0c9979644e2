/** The output of a first start whose dependencies cannot be installed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));
/** Integrity of a package that is on no registry. */
const lockOfLeft = `lockfileVersion: '9.0'
importers:
  .:
    dependencies:
      left:
        specifier: 1.0.0
        version: 1.0.0
packages:
  left@1.0.0:
    resolution: {integrity: sha512-${'A'.repeat(86)}==}
snapshots:
  left@1.0.0: {}
`;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowel-bootstrap-'));
  await mkdir(join(folder, 'scripts'));
  for (const file of ['package.json', 'scripts/bootstrap.mjs']) {
    await cp(join(root, file), join(folder, file));
  }
});

afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

async function bootstrap(npmRegistry: string, settings: Record<string, string> = {}) {
  const child = spawn(process.execPath, [join(folder, 'scripts/bootstrap.mjs'), 'start'], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      npm_config_registry: npmRegistry,
      npm_config_cache: join(folder, 'cache'),
      ...settings,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let err = '';
  child.stderr.on('data', (text: Buffer) => {
    err += text.toString();
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, err };
}

/** Nothing listens there: no system assigns a port so low. */
const registry = 'http://127.0.0.1:1';

test('without a registry the first start is one line that names it and the cause', async () => {
  expect(await bootstrap(registry)).toEqual({
    code: 1,
    err: `The dependencies could not be downloaded: ${registry} cannot be reached (ECONNREFUSED). The first start needs the network, or a registry that you can reach: npm config set registry <URL>.\n`,
  });
});

test('a request that succeeded when it was tried again is not the cause', async () => {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    if (requests === 1) request.socket.destroy();
    else response.writeHead(404).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  const { code, err } = await bootstrap(`http://127.0.0.1:${port}`, {
    npm_config_loglevel: 'http',
  });
  server.close();

  expect(code).toBe(1);
  expect(err).toContain('ECONNRESET');
  expect(err).toContain('npm error code E404');
  expect(err).toMatch(/\nThe dependencies could not be installed \(see above\)\.\n$/);
});

test('a registry that fails after npm has installed pnpm is one line, too', async () => {
  const { packageManager } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const manifest = { packageManager, dependencies: { left: '1.0.0' } };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  await writeFile(join(folder, 'pnpm-lock.yaml'), lockOfLeft);
  await writeFile(join(folder, '.npmrc'), `registry=${registry}/\n`);
  const pnpm = join(root, 'node_modules/pnpm/bin/pnpm.mjs');
  // Does what npx does, without downloading pnpm.
  const npx = `#!/bin/sh\nshift 2\nexec "${process.execPath}" "${pnpm}" "$@"\n`;
  await writeFile(join(folder, 'npx'), npx, { mode: 0o755 });

  const outcome = await bootstrap(registry, {
    PATH: `${folder}${delimiter}${process.env.PATH}`,
    pnpm_config_fetch_retries: '0',
    // The lock file does not name the pnpm of package.json.
    pnpm_config_pm_on_fail: 'ignore',
  });

  expect(outcome).toEqual({
    code: 1,
    err: expect.stringMatching(
      `^The dependencies could not be downloaded: ${registry} cannot be reached \\(Connection refused\\)\\.[^\n]+\n$`,
    ),
  });
});

test('a Node that cannot be started is one line with the reason', async () => {
  // Does what npx does when install scripts are forbidden: Node's own program is missing.
  await writeFile(join(folder, 'npx'), '#!/bin/sh\n', { mode: 0o755 });

  const { code, err } = await bootstrap(registry, {
    PATH: `${folder}${delimiter}${process.env.PATH}`,
  });

  expect(code).toBe(1);
  expect(err).toMatch(/^The Node of this folder cannot be started: .+ \(ENOENT\)\.[^\n]+\n$/);
});

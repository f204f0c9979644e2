/** What a newcomer reads when the first start has no network. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowel-bootstrap-'));
  await mkdir(join(folder, 'scripts'));
  for (const file of ['package.json', 'scripts/bootstrap.mjs']) {
    await cp(join(root, file), join(folder, file));
  }
});

afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

async function bootstrap(registry: string) {
  const child = spawn(process.execPath, [join(folder, 'scripts/bootstrap.mjs'), 'start'], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      npm_config_registry: registry,
      npm_config_cache: join(folder, 'cache'),
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

test('without a registry the first start is one line that names it and the cause', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));

  expect(await bootstrap(`http://127.0.0.1:${port}`)).toEqual({
    code: 1,
    err: `The dependencies could not be downloaded: http://127.0.0.1:${port} cannot be reached (ECONNREFUSED). The first start needs the network, or a registry that you can reach: npm config set registry <URL>.\n`,
  });
});

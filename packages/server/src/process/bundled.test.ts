/** A program that a bundler put into one file, run as a process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { failAtExit } from '@dowel/installation-store/testing';
import { build } from 'esbuild';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type ServerWorld, startServerWorld } from '../testing/server-world.ts';

const patience = { timeout: 120_000, interval: 50 };
const threads = fileURLToPath(new URL('../../../installation-store/src/sqlite', import.meta.url));
let world: ServerWorld;
let folder: string;
let child: ChildProcess | undefined;

beforeEach(async () => {
  world = await startServerWorld();
  folder = join(world.folder, 'bundle');
  await mkdir(folder);
});
afterEach(async () => {
  child?.kill('SIGKILL');
  await world[Symbol.asyncDispose]();
});

const common = { bundle: true, platform: 'node', format: 'esm', logLevel: 'error' } as const;

/** Bundles a back end with its dependencies. */
async function bundleServer(): Promise<void> {
  const manifest = fileURLToPath(new URL('../../../../manifest.json', import.meta.url));
  const program = `
    import { createServer } from '../create-server.ts';
    const server = createServer({ manifest: ${JSON.stringify(manifest)}, port: 0, ...JSON.parse(process.argv[2]) });
    server.start().then(({ url }) => console.log(url), ({ message }) => {
      console.error(message);
      process.exitCode = 1;
    });`;
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const [, banner = ''] = /--banner:js="([^"]+)"/.exec(readme) ?? [];
  await build({
    ...common,
    stdin: { contents: program, resolveDir: import.meta.dirname, loader: 'ts' },
    outfile: join(folder, 'server.mjs'),
    external: ['pg-native'],
    banner: { js: banner },
  });
}

async function bundleThread(name: string): Promise<void> {
  const entry = join(threads, `${name}.ts`);
  await build({ ...common, entryPoints: [entry], outfile: join(folder, `${name}.js`) });
}

function run() {
  const options = {
    database: world.common.database,
    environment: { DOWEL_LOG_LEVEL: 'silent', DOWEL_METRICS_PORT: '0' },
  };
  const args = [join(folder, 'server.mjs'), JSON.stringify(options)];
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
}

test('I08: without the files of the threads the start ends in one line that names them', async () => {
  await bundleServer();
  const started = run();
  child = started;

  const error = await text(started.stderr);

  const paths = ['checkpoint-worker.js', 'report-worker.js'].map((name) => join(folder, name));
  expect(error).toMatch(/^SQLite needs threads, whose files are missing: [^\n]+\n$/);
  for (const path of paths) expect(error).toContain(path);
});

test('I08: with them it is ready, and is not while a thread cannot run', async () => {
  await bundleServer();
  await bundleThread('checkpoint-worker');
  await writeFile(join(folder, 'report-worker.js'), 'process.exit(1);');
  const started = run();
  child = started;
  const [line] = await Promise.race([once(started.stdout, 'data'), failAtExit(started)]);
  const url = String(line).trim();
  const statusOf = async (path: string) => (await fetch(`${url}${path}`)).status;

  await vi.waitFor(async () => expect(await statusOf('/readyz')).toBe(503), patience);
  await bundleThread('report-worker');

  await vi.waitFor(async () => expect(await statusOf('/readyz')).toBe(200), patience);
});

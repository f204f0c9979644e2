/** `dowel dev` with a back end of Node alone. */
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { keyedSnapshot } from '@dowel/emulator/testing';
import { startOnUnusedPort } from '@dowel/settings/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DevError } from './dev-error.ts';
import { type RunningDev, type StartDevOptions, startDev } from './start-dev.ts';
import { collectLines, type Lines } from './testing/collect-lines.ts';
import { fakePlugin, manifestWith } from './testing/fake-plugin.ts';
import { makePluginFolder, saveAtomically } from './testing/make-folder.ts';

let folder: Awaited<ReturnType<typeof makePluginFolder>>;
let lines: Lines;
let stop: AbortController;

beforeEach(async () => {
  folder = await makePluginFolder(fakePlugin);
  lines = collectLines();
  stop = new AbortController();
});
afterEach(() => folder[Symbol.asyncDispose]());

/** The emulator has a key already, because a new one takes a second. */
async function startAt(platformPort: number, options: Partial<StartDevOptions> = {}) {
  const state = join(folder.path, '.dowel', `emulator-${platformPort}.json`);
  await mkdir(join(folder.path, '.dowel'), { recursive: true, mode: 0o700 });
  const snapshot = keyedSnapshot(`http://localhost:${platformPort}`);
  await writeFile(state, JSON.stringify(snapshot));
  return startDev({
    root: folder.path,
    port: 0,
    platformPort,
    signal: stop.signal,
    say: (line) => lines.all.push(line),
    ...options,
  });
}

const start = (options?: Partial<StartDevOptions>) =>
  startOnUnusedPort((port) => startAt(port, options));

async function end({ done }: RunningDev): Promise<void> {
  stop.abort();
  expect(await done).toBe(0);
}

const save = (text: string) => saveAtomically(join(folder.path, 'manifest.json'), text);

test('the plug-in is installed and placed, and each delivery is a line with its answer', async () => {
  const dev = await start();

  await lines.seen('install → 201');
  await lines.seen('instance_add → 201');

  expect(await (await fetch(`${dev.url}/manifest.json`)).json()).toMatchObject({
    pluginVersion: '1.0.0',
  });
  await end(dev);
  expect(await readdir(join(folder.path, '.dowel'))).not.toContain('dev.json');
});

test('a broken configuration of Vite ends the start in words without colours', async () => {
  const vite = join(folder.path, 'node_modules/vite');
  await mkdir(vite, { recursive: true });
  await writeFile(join(folder.path, 'index.html'), '');
  await writeFile(join(vite, 'package.json'), '{ "type": "module", "exports": "./index.js" }');
  await writeFile(
    join(vite, 'index.js'),
    `export const version = '8.4.0';
    export const createServer = async () => { throw new Error('\\x1b[31mUnexpected token'); };`,
  );

  await expect(start()).rejects.toEqual(
    new DevError(`Vite cannot start in ${folder.path}: Unexpected token`),
  );
});

test('a request of the back end to a path that the platform does not have is a line without its query', async () => {
  const dev = await start();
  await lines.seen('instance_add → 201');

  await fetch(`${dev.platformUrl}/t/acmeapi/oauth/token?code=secret`, { method: 'POST' });
  await fetch(`${dev.platformUrl}/t/acme/api/users`);

  await lines.seen('POST /t/acmeapi/oauth/token → 404 Nothing is there');
  await lines.seen(/^GET \/t\/acme\/api\/users → 401 /);
  expect(lines.all.filter(({ text }) => /code=secret|users → 404/.test(text))).toEqual([]);
  await end(dev);
});

test('a broken manifest is said and leaves the installation; the corrected one is applied', async () => {
  const dev = await start();
  await lines.seen('instance_add → 201');

  await save('{');
  await lines.seen(/^manifest\.json:1:2 error: /);
  await lines.seen('The installation keeps the manifest from before.');
  await save(manifestWith(2));
  await lines.seen(/e02 is new: it is placed/);
  await lines.seen('instance_add → 201', 2);

  expect(lines.all.filter(({ text }) => /^(?:install|uninstall) /.test(text))).toHaveLength(1);
  await end(dev);
});

test('of five manifests in a second the last one counts, and nothing meets anything', async () => {
  const dev = await start();
  await lines.seen('instance_add → 201');

  for (const count of [2, 1, 3, 1, 2]) await save(manifestWith(count));
  dev.act('install');
  await save(manifestWith(4));
  await lines.seen('install → 201', 2);
  await lines.seen('instance_add → 201', 5);

  expect(lines.all.filter(({ from, level }) => from === 'platform' && level === 'error')).toEqual(
    [],
  );
  await end(dev);
});

test('what failed is tried again with the next change', async () => {
  const dev = await start();
  await lines.seen('instance_add → 201');

  await writeFile(join(folder.path, 'server.js'), 'process.exit(3);');
  await lines.seen(/^The back end ended with code 3\. The next change starts it again\./);
  const answer = await fetch(`${dev.url}/manifest.json`);
  await writeFile(join(folder.path, 'server.js'), fakePlugin['server.js']);
  await lines.seen('The back end is ready.', 2);

  expect([answer.status, await answer.json()]).toMatchObject([503, { code: 'DEV_SERVER_DOWN' }]);
  expect((await fetch(`${dev.url}/manifest.json`)).status).toBe(200);
  await end(dev);
});

test('a back end that never listens is started again by the next change', async () => {
  const dev = await start();
  await lines.seen('instance_add → 201');
  const write = (program: string) => writeFile(join(folder.path, 'server.js'), program);

  await write("console.log('alive'); setInterval(() => {}, 1_000);");
  await lines.seen('alive');
  await write(fakePlugin['server.js']);

  await lines.seen('The back end is ready.', 2);
  await end(dev);
});

test('a port that another program has is one line, and a later start is free of the failed one', async () => {
  const other = createServer().listen(0, 'localhost');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;

  await expect(start({ port })).rejects.toThrow(
    `Port ${port} is in use. Choose another one: dowel dev --port PORT.`,
  );
  await expect(startAt(port)).rejects.toThrow(
    `Port ${port} is in use. Choose another one for the platform: dowel dev --platform-port PORT.`,
  );
  other.close();

  await end(await start());
});

test('the state belongs to a port: another port begins anew', async () => {
  const first = await start();
  await lines.seen('install → 201');
  stop.abort();
  await first.done;
  stop = new AbortController();

  const second = await start();
  await lines.seen('install → 201', 2);

  await end(second);
});

test('an end during the start leaves nothing', async () => {
  const starting = start();
  stop.abort();

  await expect(starting).rejects.toThrow('It was ended during the start.');
  stop = new AbortController();
  await end(await start());
});

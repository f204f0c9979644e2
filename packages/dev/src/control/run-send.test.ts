/** `dowel send` against a platform with a back end of Dowel, and with one that accepts everything. */
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startTestServer } from '@dowel/emulator/test-server';
import { keyedSnapshot } from '@dowel/emulator/testing';
import { createServer } from '@dowel/server';
import { startOnUnusedPort } from '@dowel/settings/testing';
import { expect, test } from 'vitest';
import { startDev } from '../start-dev.ts';
import { callCommand } from '../testing/call-command.ts';
import { collectLines } from '../testing/collect-lines.ts';
import { fakePlugin } from '../testing/fake-plugin.ts';
import { makePluginFolder } from '../testing/make-folder.ts';
import { runSend } from './run-send.ts';

const manifest = fileURLToPath(new URL('../../../../manifest.json', import.meta.url));

/** A back end that checks what it gets, with one installation. */
async function startWorld() {
  const world = await startTestServer((options) => createServer({ ...options, manifest }));
  const { tenantId, pluginId } = await world.openPage();
  const sent = () => world.platform.exchanges({ tenantId, kind: 'event' });
  return {
    sent,
    platform: world.platform,
    pluginId,
    run: (...args: string[]) => run([...args, '--platform', world.platform.origin]),
    [Symbol.asyncDispose]: () => world.close(),
  };
}

const run = (args: readonly string[], root?: string) => callCommand(runSend, args, root);

test('an event is sent, its answer and a verdict are printed without secrets, and no session is left', async () => {
  await using world = await startWorld();
  const before = world.sent().length;

  const { code, out, err } = await world.run('access_token');

  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/^POST http:\/\/\S+\/access_token\n {2}header\n {2}\{\n/);
  expect(out).toContain('"sub": "access_token"');
  expect(out).toContain('"authorization_code": "[secret]"');
  expect(out).not.toMatch(/[\w-]{43}/);
  expect(out).toMatch(/\n201 after \d+ ms\n {2}application\/json/);
  expect(out).toMatch(/\nAccepted\.\n$/);
  expect(world.sent().slice(before)).toMatchObject([{ event: 'access_token', status: 201 }]);
  expect(world.platform.snapshot().sessions).toEqual([]);
});

test.each([
  ['--expired', 'Right: the event has expired, so it must be refused.'],
  ['--foreign-key', 'Right: a foreign key has signed the event, so it must be refused.'],
])('%s is refused by a good back end', async (option, verdict) => {
  await using world = await startWorld();

  const { code, out } = await world.run('uninstall', option);

  expect(code).toBe(1);
  expect(out).toMatch(/\nRefused: .+\(status 40\d, code \d+\)\.\n/);
  expect(out).toContain(verdict);
  expect(world.sent().at(-1)).toMatchObject({ event: 'uninstall' });
});

test('with --json each line is an event with its answer, without secrets', async () => {
  await using world = await startWorld();

  const { code, out } = await world.run('access_token', '--times', '2', '--json');

  expect(code).toBe(0);
  const sent = out.trimEnd().split('\n');
  expect(sent.map((line) => JSON.parse(line) as object)).toMatchObject([
    { event: 'access_token', status: 201, error: null, jwt: { claims: { sub: 'access_token' } } },
    { event: 'access_token', status: 201, error: null },
  ]);
  expect(out).not.toMatch(/"authorization_code":"(?!\[secret\])/);
});

test('two times are the same event twice, and its answers are compared', async () => {
  await using world = await startWorld();

  const { code, out } = await world.run('access_token', '--times', '2');

  expect(code).toBe(0);
  expect(out).toContain('Accepted.\nRight: each copy got the same answer.\n');
  const [first, second] = world.sent().slice(-2);
  expect(second?.jwt?.claims.jti).toBe(first?.jwt?.claims.jti);
});

test('again is the newest such event as it was', async () => {
  await using world = await startWorld();
  await world.run('access_token');
  const [first] = world.sent().slice(-1);
  await world.run('instance_add');

  const { code } = await world.run('access_token', '--again');

  expect(code).toBe(0);
  const [last] = world.sent().slice(-1);
  expect(last?.jwt).toEqual(first?.jwt);
  expect(last?.id).not.toBe(first?.id);
});

test('claims are replaced, also beside another change', async () => {
  await using world = await startWorld();

  await world.run('uninstall', '--expired', '--claims', '{"jti":"chosen","exp":7}');

  expect(world.sent().at(-1)?.jwt?.claims).toMatchObject({ jti: 'chosen', exp: 7 });
});

test('what the platform cannot send is its own sentence', async () => {
  await using world = await startWorld();
  const { tenants } = world.platform;

  await expect(world.run('install', '--to', 'nothing')).rejects.toThrow(/plug-in|installed/i);
  await expect(world.run('instance_remove', '--again')).rejects.toThrow(
    'The platform has not sent instance_remove to this plug-in yet.',
  );
  await expect(world.run('install', '--tenant', tenants[1]?.tenantId ?? '')).rejects.toThrow(
    'The plug-in is not installed in this tenant.',
  );
  const names = tenants.map(({ tenantId, name }) => `\n  --tenant ${tenantId}  ${name}`);
  await expect(world.run('install', '--tenant', 'none')).rejects.toThrow(
    `The platform has no such tenant. Choose one:${names.join('')}`,
  );
  for (let count = 0; count < 50; count += 1) world.platform.addTenant();
  await expect(world.run('install', '--tenant', 'none')).rejects.toThrow(
    new RegExp(`(?:\\n  --tenant .+){10}\\n  and ${tenants.length - 10} more$`),
  );
});

test('of several plug-ins one must be chosen', async () => {
  await using world = await startWorld();
  const text = fakePlugin['manifest.json'];
  const other = createHttpServer((request, response) => {
    response.writeHead(request.method === 'POST' ? 201 : 200, {
      'content-type': 'application/json',
    });
    response.end(request.method === 'POST' ? '{}' : text);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as AddressInfo;
  const tenantId = world.platform.tenants[0]?.tenantId ?? '';
  const manifestUrl = `http://127.0.0.1:${port}/manifest.json`;
  const { pluginId } = await world.platform.install({ tenantId, manifestUrl });

  await expect(world.run('uninstall')).rejects.toThrow(`--to ${pluginId}  ${manifestUrl}`);
  expect((await world.run('uninstall', '--to', pluginId)).code).toBe(0);
  other.close();
});

test.each([
  [[], 'Which event? Give one of install, '],
  [['installed'], 'Which event? Give one of install, '],
  [['install', 'uninstall'], 'Which event? Give one of install, '],
  [['install', '--times', '0'], '--times must be a number from 1 to 999.'],
  [['install', '--claims', '[]'], '--claims must be a JSON object'],
  [['install', '--claims', '{'], '--claims must be a JSON object'],
  [['install', '--again', '--expired'], '--again sends an event as it was'],
  [['install', '--platform', 'localhost'], '--platform must be an http(s) URL'],
  [['install', '--dry-run'], "Unknown option '--dry-run'"],
])('%j is a misuse: the line says what is wrong', async (args, problem) => {
  const { code, out, err } = await run(args);

  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(problem);
  expect(err).toContain('Usage: dowel send EVENT');
});

test('help is no mistake', async () => {
  expect(await run(['--help'])).toMatchObject({ code: 0, err: '' });
});

test.each(['nothing', '{"code":"NOT_FOUND","message":"There is nothing at this address"}', '{}'])(
  'a platform that does not answer, or is another program, is one sentence: %s',
  async (text) => {
    const other = createHttpServer((_, response) => void response.writeHead(404).end(text));
    other.listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;

    await expect(run(['install', '--platform', url])).rejects.toThrow(
      `What answers at ${url} is not the platform of this version: it answered 404.`,
    );
    await new Promise((resolve) => other.close(resolve));
    await expect(run(['install', '--platform', url])).rejects.toThrow(
      `Nothing answers at ${url} (ECONNREFUSED). Start the platform: npx dowel dev, or npx dowel emulator.`,
    );
  },
);

test('without a platform it is that of the dowel dev in the folder, and its plug-in', async () => {
  await using folder = await makePluginFolder(fakePlugin);
  const { path } = folder;
  const lines = collectLines();
  const stop = new AbortController();
  const nothing = 'No dowel dev runs in this folder. Start it: npx dowel dev.';
  await expect(run(['uninstall'], path)).rejects.toThrow(nothing);
  await mkdir(join(path, '.dowel'), { mode: 0o700 });
  const dev = await startOnUnusedPort(async (platformPort) => {
    const state = join(path, `.dowel/emulator-${platformPort}.json`);
    const snapshot = keyedSnapshot(`http://localhost:${platformPort}`);
    await writeFile(state, JSON.stringify(snapshot));
    const say = lines.all.push.bind(lines.all);
    return startDev({ root: path, port: 0, platformPort, signal: stop.signal, say });
  });
  await lines.seen('instance_add → 201');

  const { code, out } = await run(['uninstall', '--expired'], path);

  expect(code).toBe(0);
  expect(out).toContain('Accepted.\nWrong: the event has expired, so it must be refused.\n');
  await lines.seen('uninstall → 201');
  stop.abort();
  await dev.done;
  await expect(run(['uninstall'], path)).rejects.toThrow(nothing);
});

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { keyedSnapshot } from '@dowel/emulator/testing';
import { startOnUnusedPort } from '@dowel/settings/testing';
import { afterEach, expect, test } from 'vitest';

const main = fileURLToPath(new URL('main.ts', import.meta.url));
const mara = 'a1b5c0de-1c1f-4d0a-9c55-0a6d2f3b4c01';
const children: ChildProcess[] = [];

// A process that ends at once still waits for the generation of its 4096-bit key.
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function start(
  port: number,
  options: { statePath?: string; cwd?: string; settings?: Record<string, string> } = {},
): { child: ChildProcess; stderr: () => string; ready: Promise<unknown> } {
  const { statePath = '', cwd = process.cwd(), settings = {} } = options;
  const child = fork(main, {
    silent: true,
    cwd,
    env: { ...process.env, EMULATOR_PORT: String(port), EMULATOR_STATE: statePath, ...settings },
  });
  children.push(child);
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ready = new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('close', (code) => reject(new Error(`It ended with code ${code}: ${stderr}`)));
  });
  // Not every test waits for it.
  ready.catch(() => {});
  return { child, stderr: () => stderr, ready };
}

async function reserve() {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const { port } = server.address() as AddressInfo;
  return { port, free: () => new Promise((resolve) => server.close(resolve)) };
}

async function startReady(port: number, options?: Parameters<typeof start>[1]) {
  const { child, stderr, ready } = start(port, options);
  expect(await ready).toEqual({ type: 'ready', url: `http://localhost:${port}` });
  return { child, stderr, port };
}

/** Ready, on a free port. */
const startAnywhere = (options?: Parameters<typeof start>[1]) =>
  startOnUnusedPort((port) => startReady(port, options));

async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
}

async function createFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'dowel-emulator-'));
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

/** Starts from a state that has a key, because each new one takes half a second of CPU time. */
async function startWithKey(folder: string): Promise<ChildProcess> {
  const statePath = join(folder, 'emulator.json');
  const { child } = await startOnUnusedPort(async (port) => {
    await writeFile(statePath, JSON.stringify(keyedSnapshot(`http://localhost:${port}`)));
    return startReady(port, { statePath });
  });
  return child;
}

/** The control API as one signed-in page uses it. */
function openPage(port: number) {
  let cookie = '';
  return async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await fetch(`http://localhost:${port}${path}`, {
      method,
      headers: { cookie, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    expect(response.ok).toBe(true);
    cookie ||= response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    return response.json();
  };
}

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends it with 0', async (signal) => {
  await using temporary = await createFolder();
  const child = await startWithKey(temporary.folder);

  child.kill(signal);

  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('it ends when its parent disconnects', async () => {
  await using temporary = await createFolder();
  const child = await startWithKey(temporary.folder);

  child.disconnect();

  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('a port in use is one line on stderr and exit code 1', async () => {
  const { port, free } = await reserve();
  const { child, stderr } = start(port);

  const [code] = await once(child, 'close');
  await free();

  expect(code).toBe(1);
  expect(stderr()).toMatch(/^The emulator could not start: port \d+ is in use[^\n]*\n$/);
});

test.each([
  [{ EMULATOR_PROT: '4301' }, 'EMULATOR_PROT is not a setting: did you mean EMULATOR_PORT?'],
  [
    { EMULATOR_HOST: '203.0.113.7' },
    'The emulator could not start: EMULATOR_HOST is not an address of this machine (EADDRNOTAVAIL). Write localhost.',
  ],
  [
    { EMULATOR_STATE: '/dev/null/emulator.json' },
    'The emulator could not start: the state in /dev/null/emulator.json cannot be used: reading it fails with ENOTDIR.',
  ],
  [
    { EMULATOR_STATE: '/made-up-folder/emulator.json' },
    'The emulator could not start: the state cannot be saved to /made-up-folder/emulator.json: its folder cannot be used, it does not exist (ENOENT). Choose another file with EMULATOR_STATE.',
  ],
])('%j is one line on stderr and exit code 1', async (settings, line) => {
  const { child, stderr } = start(4301, { settings });

  const [code] = await once(child, 'close');

  expect({ code, stderr: stderr() }).toEqual({ code: 1, stderr: `${line}\n` });
});

test('after SIGTERM and another start it continues with the same key, session and lab', async () => {
  await using temporary = await createFolder();
  const statePath = join(temporary.folder, 'emulator.json');
  const { child: first, port } = await startAnywhere({ statePath });
  const request = openPage(port);
  const loadKey = async () => JSON.parse(await readFile(statePath, 'utf8')).signingKeyPem as string;

  await request('POST', '/control/session', { userId: mara });
  const lab = await request('PATCH', '/control/lab', { advanceSeconds: 60 });
  // Answered when there is a key.
  await fetch(`http://localhost:${port}/certificates/other.jwk.json`);
  await stop(first);
  const key = await loadKey();
  const second = await startReady(port, { statePath });

  expect(await request('GET', '/control/lab')).toEqual(lab);
  await request('PATCH', '/control/lab', { advanceSeconds: 60 });
  await stop(second.child);
  expect(key).toMatch(/PRIVATE KEY/);
  expect(await loadKey()).toBe(key);
  expect(await readdir(temporary.folder)).toEqual(['emulator.json']);
});

test('a state file that can no longer be written is one line on stderr, and the emulator continues', async () => {
  await using temporary = await createFolder();
  const stateFolder = join(temporary.folder, 'state');
  await mkdir(stateFolder);

  const statePath = join(stateFolder, 'emulator.json');
  const { child, stderr, port } = await startAnywhere({ statePath });
  const request = openPage(port);
  await rm(stateFolder, { recursive: true });
  await request('POST', '/control/session', { userId: mara });
  await expect.poll(stderr).not.toBe('');
  await request('PATCH', '/control/lab', { advanceSeconds: 60 });
  await stop(child);

  expect(stderr()).toMatch(/^The state cannot be written to [^\n]+ \(ENOENT\): [^\n]+\n$/);
});

test('without EMULATOR_STATE nothing is written', async () => {
  await using temporary = await createFolder();
  const { child, port } = await startAnywhere({ cwd: temporary.folder });
  const request = openPage(port);

  await request('POST', '/control/session', { userId: mara });
  await stop(child);

  expect(await readdir(temporary.folder)).toEqual([]);
});

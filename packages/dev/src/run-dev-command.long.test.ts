/** `dowel dev` as a process: however it ends, no process of it goes on. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { keyedSnapshot } from '@dowel/emulator/testing';
import { findUnusedPort } from '@dowel/settings/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fakePlugin } from './testing/fake-plugin.ts';
import { makePluginFolder } from './testing/make-folder.ts';

const main = fileURLToPath(new URL('main.ts', import.meta.url));
/** Each process of the back end leaves its id. */
const leavesId = `
import { mkdirSync, writeFileSync } from 'node:fs';
mkdirSync('.ids', { recursive: true });
writeFileSync('.ids/' + process.pid, '');
`;

/** It leaves its id, too, and ignores SIGTERM. */
const pythonProgram = `
import os
import signal
from http.server import BaseHTTPRequestHandler, HTTPServer

class BackEnd(BaseHTTPRequestHandler):
    def answer(self, status, text):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self):
        self.answer(200, open("manifest.json", "rb").read())

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(201, b"{}")

signal.signal(signal.SIGTERM, signal.SIG_IGN)
os.makedirs(".ids", exist_ok=True)
open(f".ids/{os.getpid()}", "w").close()
HTTPServer(("127.0.0.1", int(os.environ["PORT"])), BackEnd).serve_forever()
`;

let folder: Awaited<ReturnType<typeof makePluginFolder>>;
let ports: string[];
let child: ChildProcess;
let output: string;

beforeEach(async () => {
  const server = leavesId + fakePlugin['server.js'];
  folder = await makePluginFolder({ ...fakePlugin, 'server.js': server });
  const platformPort = await findUnusedPort();
  ports = ['--port', String(await findUnusedPort()), '--platform-port', String(platformPort)];
  await mkdir(join(folder.path, '.dowel'), { mode: 0o700 });
  const snapshot = JSON.stringify(keyedSnapshot(`http://localhost:${platformPort}`));
  await writeFile(join(folder.path, `.dowel/emulator-${platformPort}.json`), snapshot);
  output = '';
});
afterEach(async () => {
  child.kill('SIGKILL');
  await folder[Symbol.asyncDispose]();
});

function start(args = [main, 'dev', ...ports]): void {
  child = spawn(process.execPath, args, { cwd: folder.path });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (data: Buffer) => {
      output += data.toString();
    });
  }
}

const seen = (text: string) => expect.poll(() => output).toContain(text);

async function readPid(): Promise<number> {
  const text = await readFile(join(folder.path, '.dowel/dev.json'), 'utf8').catch(() => '{}');
  return (JSON.parse(text) as { pid?: number }).pid ?? 0;
}

async function listRunning(): Promise<number[]> {
  const names = await readdir(join(folder.path, '.ids')).catch(() => []);
  return names.map(Number).filter((pid) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  });
}

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s ends everything with 0', async (signal) => {
  start();
  await seen('instance_add → 201');

  child.kill(signal);

  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(await listRunning()).toEqual([]);
  expect(await readPid()).toBe(0);
});

test('two Ctrl-C during the start end it, and the next start is free', async () => {
  start();
  await expect.poll(readPid).toBe(child.pid);

  child.kill('SIGINT');
  child.kill('SIGINT');

  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(await listRunning()).toEqual([]);
  start();
  await seen('instance_add → 201');
});

test('when its parent is killed, everything ends', async () => {
  const program = `
    const { spawn } = require('node:child_process');
    spawn(process.execPath, ${JSON.stringify([main, 'dev', ...ports])}, { stdio: 'inherit' });
  `;
  start(['--eval', program]);
  await seen('instance_add → 201');

  child.kill('SIGKILL');

  await expect.poll(readPid).toBe(0);
  await expect.poll(listRunning).toEqual([]);
});

test('when it is killed itself, a back end in Node ends', async () => {
  start();
  await seen('instance_add → 201');
  expect(await listRunning()).toHaveLength(1);

  child.kill('SIGKILL');

  await expect.poll(listRunning).toEqual([]);
});

test('when it is killed itself, a back end in another language ends, even one that ignores SIGTERM', async () => {
  await writeFile(join(folder.path, 'app.py'), pythonProgram);
  start([main, 'dev', ...ports, '--', 'python3', 'app.py']);
  await seen('instance_add → 201');
  expect(await listRunning()).toHaveLength(1);

  child.kill('SIGKILL');

  await expect.poll(listRunning).toEqual([]);
});

test('a second one in the folder ends with one line and code 1', async () => {
  start();
  await seen('instance_add → 201');
  const second = spawn(process.execPath, [main, 'dev'], { cwd: folder.path });
  let errors = '';
  second.stderr.on('data', (data: Buffer) => {
    errors += data.toString();
  });

  expect(await once(second, 'close')).toEqual([1, null]);
  expect(errors).toMatch(/^Another dowel dev runs in this folder: process \d+\. [^\n]+\n$/);
});

test('an event can be sent from another shell, and without a platform one line says what to start', async () => {
  const send = async () => {
    const sending = spawn(process.execPath, [main, 'send', 'uninstall'], { cwd: folder.path });
    let printed = '';
    for (const stream of [sending.stdout, sending.stderr]) {
      stream.on('data', (data: Buffer) => {
        printed += data.toString();
      });
    }
    const [code] = (await once(sending, 'close')) as [number];
    return { code, printed };
  };
  start();
  await seen('instance_add → 201');

  const accepted = await send();
  child.kill('SIGKILL');
  await once(child, 'exit');
  const failed = await send();

  expect(accepted).toMatchObject({ code: 0, printed: expect.stringMatching(/\nAccepted\.\n$/) });
  expect(failed.code).toBe(1);
  expect(failed.printed).toMatch(/^No dowel dev runs in this folder\. [^\n]+\n$/);
});

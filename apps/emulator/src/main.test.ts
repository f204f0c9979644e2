import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test, vi } from 'vitest';

const main = fileURLToPath(new URL('main.ts', import.meta.url));
const children: ChildProcess[] = [];

// A process that ends at once still waits for its 4096-bit key.
vi.setConfig({ testTimeout: 20_000 });

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function start(port: number): { child: ChildProcess; stderr: () => string } {
  const child = fork(main, {
    silent: true,
    env: { ...process.env, EMULATOR_PORT: String(port) },
  });
  children.push(child);
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  return { child, stderr: () => stderr };
}

async function reserve() {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const { port } = server.address() as AddressInfo;
  return { port, free: () => new Promise((resolve) => server.close(resolve)) };
}

async function startReady() {
  const { port, free } = await reserve();
  await free();
  const { child } = start(port);
  const [message] = await once(child, 'message');
  expect(message).toEqual({ type: 'ready', url: `http://localhost:${port}` });
  return child;
}

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends it with 0', async (signal) => {
  const child = await startReady();

  child.kill(signal);

  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('it ends when its parent lets go', async () => {
  const child = await startReady();

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

/** What a person reads when `npm start` cannot start. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';

const startScript = fileURLToPath(new URL('../scripts/start.ts', import.meta.url));

let dataDir: string;

test.beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'dowel-start-'));
});

test.afterEach(async () => {
  await rm(dataDir, { recursive: true });
});

/** Starts with ports that collide with nobody; resolves when the process has ended by itself. */
function start(env: Record<string, string>): Promise<{ code: number | null; errors: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [startScript], {
      env: {
        ...process.env,
        DOWEL_DATA_DIR: dataDir,
        EMULATOR_PORT: '43981',
        DOWEL_PORT: '43982',
        ...env,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let errors = '';
    child.stderr.on('data', (text: Buffer) => {
      errors += text.toString();
    });
    child.once('exit', (code) => resolve({ code, errors: errors.trim() }));
  });
}

test('a port in use is one line that names the port and the variable', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = String((server.address() as AddressInfo).port);

  const { code, errors } = await start({ DOWEL_PORT: port });
  server.close();

  expect(code).toBe(1);
  expect(errors).toBe(
    `Port ${port} is in use: stop the program that uses it, or set DOWEL_PORT to another port.`,
  );
});

test('a value that is wrong is one line that says what is right', async () => {
  const { code, errors } = await start({ DOWEL_TRUST: 'https://acme.example' });

  expect(code).toBe(1);
  expect(errors).toMatch(/^DOWEL_TRUST: "https:\/\/acme\.example" is not of the form .*$/);
});

test('a data folder that cannot be made is one line', async () => {
  await writeFile(join(dataDir, 'file'), '');

  const { code, errors } = await start({ DOWEL_DATA_DIR: join(dataDir, 'file/below') });

  expect(code).toBe(1);
  expect(errors).toMatch(/^The folder .* cannot be made \(ENOTDIR\): .*DOWEL_DATA_DIR\.$/);
});

test('an encryption key that is none is one line, and the file stays as it is', async () => {
  await writeFile(join(dataDir, 'encryption.key'), 'short');

  const { code, errors } = await start({});

  expect(code).toBe(1);
  expect(errors).toMatch(/^The encryption key file .* cannot be used: .*$/);
});

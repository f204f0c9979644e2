/** The output of `npm start`, mainly when it cannot start. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findUnusedPort, startOnUnusedPort } from '@dowel/settings/testing';
import { expect, test } from '@playwright/test';

const startScript = fileURLToPath(new URL('../scripts/start.ts', import.meta.url));

let dataDir: string;

test.beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'dowel-start-'));
});

test.afterEach(async () => {
  await rm(dataDir, { recursive: true });
});

/** Starts with unused ports. Resolves when the process has ended, by itself or after `until`. */
async function start(
  env: Record<string, string>,
  until?: RegExp,
): Promise<{ code: number | null; output: string; errors: string }> {
  const [emulatorPort, port] = [await findUnusedPort(), await findUnusedPort()];
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [startScript], {
      env: {
        ...process.env,
        DOWEL_DATA_DIR: dataDir,
        EMULATOR_PORT: String(emulatorPort),
        DOWEL_PORT: String(port),
        ...env,
      },
      // The data folder contains no `.env`.
      cwd: dataDir,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let errors = '';
    const endWhenSeen = () => {
      if (until?.test(output + errors)) child.kill('SIGINT');
    };
    child.stdout.on('data', (text: Buffer) => {
      output += text.toString();
      endWhenSeen();
    });
    child.stderr.on('data', (text: Buffer) => {
      errors += text.toString();
      endWhenSeen();
    });
    child.once('close', (code) => resolve({ code, output, errors: errors.trim() }));
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
    `Port ${port} is in use: stop the program that uses it, or choose another port with DOWEL_PORT or the option port.`,
  );
});

test('a wrong value is reported on one line that says what to write', async () => {
  const { code, errors } = await start({ DOWEL_TRUST: 'https://acme.example' });

  expect(code).toBe(1);
  expect(errors).toMatch(/^DOWEL_TRUST: "https:\/\/acme\.example" is not of the form .*$/);
});

test('each unknown setting is reported on its own line, before anything is built or started', async () => {
  const { code, errors } = await start({ DOWEL_TRSUT: 'x', EMULATOR_PROT: '1' });

  expect(code).toBe(1);
  expect(errors.split('\n').toSorted()).toEqual([
    'DOWEL_TRSUT is not a setting: did you mean DOWEL_TRUST?',
    'EMULATOR_PROT is not a setting: did you mean EMULATOR_PORT?',
  ]);
});

test('a data folder that cannot be created is reported on one line', async () => {
  await writeFile(join(dataDir, 'file'), '');

  const { code, errors } = await start({ DOWEL_DATA_DIR: join(dataDir, 'file/below') });

  expect(code).toBe(1);
  expect(errors).toMatch(
    /^The folder .* cannot be used: a part of the path is a file \(ENOTDIR\)\. .*DOWEL_DATA_DIR\.$/,
  );
});

test('equal ports are reported on one line, before anything is built or started', async () => {
  const { code, errors } = await start({ EMULATOR_PORT: '23981', DOWEL_PORT: '23981' });

  expect({ code, errors }).toEqual({
    code: 1,
    errors: 'EMULATOR_PORT and DOWEL_PORT are both 23981: give one of them another port.',
  });
});

test('an unavailable database ends the start with one line', async () => {
  const { code, errors } = await start({
    DOWEL_DATABASE_URL: 'postgres://dowel:s3cret@127.0.0.1:1/dowel',
  });

  expect(code).toBe(1);
  expect(errors).toBe(
    'The database dowel at 127.0.0.1:1 cannot be used now: connect ECONNREFUSED 127.0.0.1:1. Start the database, or remove DOWEL_DATABASE_URL to use a file.',
  );
});

test('an invalid encryption key is reported on one line, and the file does not change', async () => {
  await writeFile(join(dataDir, 'encryption.key'), 'short');

  const { code, errors } = await start({});

  expect(code).toBe(1);
  expect(errors).toMatch(/^The encryption key file .* cannot be used: .*$/);
});

test('an emulator that DOWEL_TRUST leaves out is reported loudly, with the rule that trusts it', async () => {
  const DOWEL_TRUST = 'https://acme.example.com=https://keys.example.com/';
  const { port, code, output } = await startOnUnusedPort(async (port) => {
    const env = { EMULATOR_PORT: String(port), DOWEL_TRUST };
    const ended = await start(env, /Ctrl-C ends everything/);
    if (ended.errors.includes('is in use')) throw new Error(ended.errors);
    return { ...ended, port };
  });

  expect(code).toBe(0);
  expect(output).toContain('DOWEL_TRUST leaves the emulator out');
  expect(output).toContain(`http://localhost:${port}=http://localhost:${port}/certificates/`);
  expect(output).not.toContain('Open the emulator and sign in');
});

test('an empty variable does not hide the one in .env', async () => {
  await writeFile(join(dataDir, '.env'), 'DOWEL_TRUST=https://acme.example\n');

  const { code, errors } = await start({ DOWEL_TRUST: '' });

  expect(code).toBe(1);
  expect(errors).toMatch(/^DOWEL_TRUST: "https:\/\/acme\.example" is not of the form .*$/);
});

/** How a real process handles unsafe start options: row H03, and the inspector. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findUnusedPort } from '@dowel/settings/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { assertSafeStart } from './start-guard.ts';
import { runProcess, startProcess } from './testing/start-process.ts';

const patience = { timeout: 120_000 };
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowel-guard-'));
});

afterEach(() => rm(folder, { recursive: true }));

describe('a process', () => {
  test.each([
    ['as an option', ['--insecure-http-parser'], {}],
    ['in NODE_OPTIONS, with underscores', [], { NODE_OPTIONS: '--insecure_http_parser' }],
  ])('H03: with a lenient HTTP parser %s does not start', async (_, execArgv, settings) => {
    const { code, err } = await runProcess({ dataDir: folder, execArgv, settings });

    expect(code).toBe(1);
    expect(err).toMatch(/^--insecure-http-parser.* must not be set: requests could be/m);
    expect(err).not.toContain('Dowel is at');
  });

  test('E08: opens no inspector on SIGUSR1 in production, and reports the signal', async () => {
    const key = randomBytes(32).toString('base64url');
    await writeFile(join(folder, 'encryption.key'), key, { mode: 0o600 });
    const inspectorPort = await findUnusedPort();
    const { child, output, closed } = await startProcess({
      dataDir: folder,
      execArgv: [`--inspect-port=${inspectorPort}`],
      settings: { NODE_ENV: 'production' },
    });

    child.kill('SIGUSR1');
    await vi.waitFor(() => expect(output.out).toContain('inspector.refused'), patience);
    const socket = connect(inspectorPort, '127.0.0.1');
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
    child.kill('SIGTERM');
    await closed;

    expect(error.code).toBe('ECONNREFUSED');
    expect(output.err).not.toContain('Debugger listening');
  });

  test('with an open inspector does not start in production', async () => {
    const { code, err } = await runProcess({
      dataDir: folder,
      execArgv: ['--inspect=127.0.0.1:0'],
      settings: { NODE_ENV: 'production' },
    });

    expect(code).toBe(1);
    expect(err).toContain('--inspect must not be set: an inspector reads every token');
  });
});

describe('a start', () => {
  const refusal = (
    execArgv: string[],
    environment: Record<string, string> = {},
    inspectorUrl?: string,
  ) => {
    try {
      assertSafeStart({ execArgv, environment, inspectorUrl });
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };
  const production = { NODE_ENV: 'production' };

  test('without unsafe options is accepted, also with harmless ones', () => {
    expect(refusal([])).toBe('');
    const harmless = ['--import', 'x.ts', '--max-old-space-size=4096', '--inspect-port=1'];
    expect(refusal(harmless, { ...production, NODE_DEBUG: '', NODE_EXTRA_CA_CERTS: 'ca' })).toBe(
      '',
    );
  });

  test.each([
    '--insecure-http-parser',
    '--security-revert=CVE-2023-46809',
    '--tls-keylog=/tmp/keys',
  ])('with %s is refused everywhere', (option) => {
    const [name = ''] = option.split('=');
    expect(refusal([option])).toContain(`${name} must not be set`);
    expect(refusal([], { NODE_OPTIONS: `--x "${option}"` })).toContain(
      `${name} (in NODE_OPTIONS) must not be set`,
    );
  });

  test.each([
    '--inspect',
    '--inspect-brk=0.0.0.0:1',
    '--inspect_wait',
    '--trace-tls',
    '--tls-min-v1.0',
    '--heapsnapshot-signal=SIGUSR2',
    '--report-uncaught-exception',
  ])('with %s is refused in production', (option) => {
    expect(refusal([option], production)).toContain('must not be set');
    expect(refusal([option])).toBe('');
  });

  test.each(['NODE_DEBUG', 'NODE_DEBUG_NATIVE'])('with %s is refused in production', (name) => {
    expect(refusal([], { ...production, [name]: 'http' })).toContain(`${name} must not be set`);
    expect(refusal([], { [name]: 'http' })).toBe('');
  });

  test('with an inspector is refused in production, and anywhere on a public interface', () => {
    const urlAt = (host: string) => `ws://${host}:9229/5f0a`;

    expect(refusal([], production, urlAt('127.0.0.1'))).toContain('inspector listens at 127.0.0.1');
    expect(refusal([], {}, urlAt('0.0.0.0'))).toContain('or at 127.0.0.1');
    expect(refusal([], {}, urlAt('[::]'))).not.toBe('');
    expect(refusal([], {}, urlAt('127.0.0.1'))).toBe('');
    expect(refusal([], {}, urlAt('[::1]'))).toBe('');
  });
});

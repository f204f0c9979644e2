/** PgBouncer before a PostgreSQL server, on a free loopback port. It ends with the test. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startOnUnusedPort } from '@dowel/settings/testing';
import type { TestContext } from 'vitest';
import { failAtExit } from './fail-at-exit.ts';

const program = '/usr/sbin/pgbouncer';

/** False: its tests are skipped. */
export const hasPgbouncer = existsSync(program);

/** @returns the URL of the same database, through PgBouncer. */
export async function startPgbouncer(
  { url, mode }: { url: string; mode: 'session' | 'transaction' },
  onTestFinished: TestContext['onTestFinished'],
): Promise<string> {
  const server = new URL(url);
  const folder = await mkdtemp(join(tmpdir(), 'dowel-pgbouncer-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'pgbouncer.ini');
  return startOnUnusedPort(async (port) => {
    await writeFile(file, settingsOf(server, mode, port));
    // It does not run as root.
    const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
    const child = spawn(program, [...user, file], { stdio: ['ignore', 'ignore', 'pipe'] });
    onTestFinished(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGINT');
      await once(child, 'exit');
    });
    const up = Promise.withResolvers<void>();
    createInterface(child.stderr).on('line', (line) => {
      if (line.includes('process up')) up.resolve();
    });
    await Promise.race([up.promise, failAtExit(child)]);
    return Object.assign(server, { port: String(port) }).href;
  });
}

/** As few settings as it needs: its other ones are the defaults. */
function settingsOf(server: URL, mode: string, port: number): string {
  const { hostname, pathname, username, password } = server;
  const login = `user=${username}${password && ` password=${decodeURIComponent(password)}`}`;
  return `[databases]
${pathname.slice(1)} = host=${hostname} port=${server.port || 5432} ${login}
[pgbouncer]
pool_mode = ${mode}
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
log_connections = 0
log_disconnections = 0
`;
}

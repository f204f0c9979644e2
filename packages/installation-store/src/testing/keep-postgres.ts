/**
 * Runs a PostgreSQL server in a temporary folder, on a free loopback port, as a user without rights. Prints
 * its URL. The lines `kill`, `restart` and `promote` on standard input control it. When standard input ends, it ends the
 * server by its process id and removes the folder.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findUnusedPort } from '@dowel/settings/testing';
import pg from 'pg';

const startTimeoutMs = 30_000;
/** @param primary the URL of the server whose standby it is; default: it is no standby */
const [binaries = '', fsync = 'off', primary] = process.argv.slice(2);

// A terminal's Ctrl-C reaches the whole group, but only the end of standard input ends this process.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
// The parent may be gone. Then standard input ends, too.
process.stdout.on('error', () => {});

const identity = findIdentity();
const folder = mkdtempSync(join(tmpdir(), 'dowel-postgres-'));
if (identity) chownSync(folder, identity.uid, identity.gid);
const data = join(folder, 'data');
let port = await findUnusedPort();
const urlOf = () => `postgres://dowel@127.0.0.1:${port}/postgres`;
const options = { ...identity, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C' } };
const settings = [
  'listen_addresses=127.0.0.1',
  `unix_socket_directories=${folder}`,
  'max_connections=400',
  'shared_buffers=32MB',
  `fsync=${fsync}`,
  `full_page_writes=${fsync}`,
];
let server: ChildProcess | undefined;

try {
  if (primary) await copyServer(primary);
  // Sorts by a language, as an operator's database may. Not every build supports it.
  else await initdb('--locale-provider=icu', '--icu-locale=en-US').catch(() => initdb());
  // Another program may take the port before the server does.
  await start(async () => {
    port = await findUnusedPort();
  });
  say(urlOf());
  for await (const line of createInterface(process.stdin)) {
    // The processes of a killed server keep its memory for a moment.
    if (line === 'kill') await end('SIGKILL');
    else if (line === 'promote') await run('pg_ctl', ['promote', '-w', '-D', data]);
    else await start();
    say('done');
  }
} finally {
  await end('SIGINT');
  rmSync(folder, { recursive: true, force: true });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function initdb(...language: string[]) {
  const args = ['-D', data, '-U', 'dowel', '-E', 'UTF8', '--auth=trust', '--no-sync', '--locale=C'];
  return run('initdb', [...args, ...language]);
}

function copyServer(url: string) {
  return run('pg_basebackup', ['-d', url, '-D', data, '-R', '-c', 'fast', '--no-sync']);
}

function run(program: string, args: string[]) {
  return promisify(execFile)(join(binaries, program), args, options);
}

function spawnServer(): ChildProcess {
  const args = ['-D', data, '-p', String(port), ...settings.flatMap((each) => ['-c', each])];
  return spawn(join(binaries, 'postgres'), args, { ...options, stdio: 'ignore' });
}

/** @param beforeRetry runs when the server has ended at once. */
async function start(beforeRetry = async () => {}): Promise<void> {
  server = spawnServer();
  const deadline = performance.now() + startTimeoutMs;
  while (!(await answers())) {
    if (performance.now() > deadline) throw new Error(`PostgreSQL of ${binaries} does not start`);
    await sleep(20);
    if (server.exitCode === null) continue;
    await beforeRetry();
    server = spawnServer();
  }
}

async function end(signal: NodeJS.Signals): Promise<void> {
  if (!server || server.exitCode !== null || server.signalCode !== null) return;
  const exited = once(server, 'exit');
  server.kill(signal);
  await exited;
}

/** True if this server answers, and no other one on its port. */
async function answers(): Promise<boolean> {
  const client = new pg.Client({ connectionString: urlOf() });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ folder: string }>(
      "select current_setting('data_directory') as folder",
    );
    return rows[0]?.folder === data;
  } catch {
    return false;
  } finally {
    await client.end();
  }
}

/** PostgreSQL does not run as root. */
function findIdentity(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8').split('\n');
  const found = ['postgres', 'nobody']
    .map((name) => users.find((line) => line.startsWith(`${name}:`)))
    .find((line) => line !== undefined);
  const [, , uid, gid] = found?.split(':') ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

/**
 * A PostgreSQL server of one's own for tests: made in a temporary folder, on a free loopback port, ended
 * by its process id, its folder removed.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';

const debianFolder = '/usr/lib/postgresql';
const startTimeoutMs = 30_000;

export const postgresMissing =
  'PostgreSQL was not found, so its tests are skipped: install it, or name its folder in DOWEL_POSTGRES_BIN, or a server in DOWEL_TEST_POSTGRES_URL.';

/** The folder of `initdb` and `postgres`: DOWEL_POSTGRES_BIN, Debian's newest, or one on the PATH. */
export function findPostgresBinaries(): string | undefined {
  const versions = existsSync(debianFolder) ? readdirSync(debianFolder) : [];
  const debian = versions
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => join(debianFolder, version, 'bin'));
  const onPath = (process.env.PATH ?? '').split(delimiter);
  return [process.env.DOWEL_POSTGRES_BIN, ...debian, ...onPath].find(
    (folder) => folder && existsSync(join(folder, 'initdb')),
  );
}

export interface PostgresCluster {
  url: string;
  /** As a power loss would: by SIGKILL, without a word to anybody. */
  kill(): Promise<void>;
  /** After `kill`, on the same port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** @param options.durable with fsync, for tests of what survives. */
export async function startPostgres(
  binaries: string,
  { durable = false } = {},
): Promise<PostgresCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'dowel-postgres-'));
  const identity = findIdentity();
  if (identity) chownSync(folder, identity.uid, identity.gid);
  const data = join(folder, 'data');
  const options = { ...identity, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' } };
  const initdb = ['-D', data, '-U', 'dowel', '-E', 'UTF8', '--auth=trust', '--no-sync'];
  await promisify(execFile)(join(binaries, 'initdb'), initdb, options);
  const port = await findFreePort();
  const url = `postgres://dowel@127.0.0.1:${port}/postgres`;
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
    'shared_buffers=32MB',
    `fsync=${durable ? 'on' : 'off'}`,
    `full_page_writes=${durable ? 'on' : 'off'}`,
  ];
  let server: ChildProcess;

  function spawnServer(): void {
    const args = ['-D', data, '-p', String(port), ...settings.flatMap((each) => ['-c', each])];
    server = spawn(join(binaries, 'postgres'), args, { ...options, stdio: 'ignore' });
  }

  async function start(): Promise<void> {
    spawnServer();
    const deadline = performance.now() + startTimeoutMs;
    while (!(await answers(url))) {
      if (performance.now() > deadline) throw new Error(`PostgreSQL of ${binaries} does not start`);
      await sleep(20);
      // The processes of one that was killed hold its memory for a moment.
      if (server.exitCode !== null) spawnServer();
    }
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    server.kill(signal);
    await exited;
  }

  await start();
  return {
    url,
    kill: () => end('SIGKILL'),
    restart: start,
    async stop() {
      await end('SIGINT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
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

async function answers(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end();
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

/**
 * A separate PostgreSQL server for tests, run by another process (keep-postgres.ts), so that it ends and
 * leaves nothing behind, however this process ends.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const debianFolder = '/usr/lib/postgresql';
const keeperPath = fileURLToPath(new URL('keep-postgres.ts', import.meta.url));

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
  /** Kills the server by SIGKILL, like a power loss. */
  kill(): Promise<void>;
  /** Starts it after `kill`, on the same port. */
  restart(): Promise<void>;
  /** Makes a primary of a standby. */
  promote(): Promise<void>;
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** With fsync, for tests of durability. */
  durable?: boolean;
  /** The URL of the server whose standby it is. Default: it is no standby. */
  primary?: string;
}

export async function startPostgres(
  binaries: string,
  { durable = false, primary }: PostgresOptions = {},
): Promise<PostgresCluster> {
  const args = [keeperPath, binaries, durable ? 'on' : 'off', ...(primary ? [primary] : [])];
  const keeper = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(keeper.stdout);
  const exited = once(keeper, 'exit');

  async function answer(): Promise<string> {
    const line = await Promise.race([once(lines, 'line'), exited.then(() => undefined)]);
    if (!line) throw new Error('The PostgreSQL for the tests does not run');
    return line[0] as string;
  }

  async function tell(what: 'kill' | 'restart' | 'promote'): Promise<void> {
    keeper.stdin.write(`${what}\n`);
    await answer();
  }

  const url = await answer();
  return {
    url,
    kill: () => tell('kill'),
    restart: () => tell('restart'),
    promote: () => tell('promote'),
    async stop() {
      keeper.stdin.end();
      await exited;
    },
  };
}

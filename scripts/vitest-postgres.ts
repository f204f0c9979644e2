/**
 * One throw-away PostgreSQL for a test run. A process of its own keeps it, and ends it when this one is
 * gone, even by SIGKILL. Nothing to do when DOWEL_TEST_POSTGRES_URL names a server.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.DOWEL_TEST_POSTGRES_URL) return undefined;
  const keeperPath = fileURLToPath(new URL('keep-postgres.ts', import.meta.url));
  const keeper = spawn(process.execPath, [keeperPath], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(keeper, 'exit');
  const line = once(createInterface(keeper.stdout), 'line');
  const [url, code] = await Promise.race([line, exited.then(([exitCode]) => ['', exitCode])]);
  // It has said why.
  if (code) throw new Error('The PostgreSQL for the tests did not start');
  if (!url) return undefined;
  process.env.DOWEL_TEST_POSTGRES_URL = url as string;
  return async () => {
    keeper.stdin.end();
    await exited;
  };
}

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
  const lines = createInterface(keeper.stdout);
  const [line] = await Promise.race([once(lines, 'line'), once(keeper, 'exit').then(() => [''])]);
  if (!line) return undefined;
  process.env.DOWEL_TEST_POSTGRES_URL = line as string;
  return async () => {
    const exited = once(keeper, 'exit');
    keeper.stdin.end();
    await exited;
  };
}

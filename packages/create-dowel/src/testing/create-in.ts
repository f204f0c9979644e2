import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

/** Runs `create-dowel` in the folder, called by the package manager with this user agent. */
export async function createIn(
  ...call: Parameters<typeof spawnIn>
): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawnIn(...call);
  const closed = once(child, 'close') as Promise<[number | null]>;
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { code, out, err };
}

export function spawnIn(
  cwd: string,
  args: readonly string[],
  userAgent = '',
  environment: Readonly<Record<string, string>> = {},
) {
  return spawn(process.execPath, [main, ...args], {
    cwd,
    env: { ...process.env, npm_config_user_agent: userAgent, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';

export type PackageManager = 'npm' | 'pnpm' | 'yarn';

/** Returns the package manager that called us, by its `npm_config_user_agent`; npm when it is another one. */
export function findPackageManager(userAgent = ''): PackageManager {
  const [, name] = /^(pnpm|yarn)\//.exec(userAgent) ?? [];
  return (name as PackageManager | undefined) ?? 'npm';
}

/** Installs the dependencies. Returns whether that succeeded; the manager says what went wrong. */
export async function install(folder: string, manager: PackageManager): Promise<boolean> {
  // On Windows it is a script, which only a shell starts.
  const shell = process.platform === 'win32';
  const child = spawn(manager, ['install'], { cwd: folder, stdio: 'inherit', shell });
  const [code] = await Promise.race([once(child, 'exit'), once(child, 'error').then(() => [1])]);
  return code === 0;
}

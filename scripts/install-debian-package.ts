/** Installs a package of Debian or its relatives, where this user may. */
import { existsSync } from 'node:fs';
import { runStep } from './run-step.ts';

/** Whether apt exists and this user may use it. */
export function mayInstall(): boolean {
  return process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
}

/** Does nothing if this user may not install. Reports why an installation failed. */
export async function installDebianPackage(name: string): Promise<void> {
  if (!mayInstall()) return;
  process.stdout.write(`\nInstalling Debian's ${name} …\n`);
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  await runStep('apt-get', ['update', '-qq'], { capture: true, env });
  const install = ['install', '-y', '-qq', '--no-install-recommends', name];
  const { code, output } = await runStep('apt-get', install, { capture: true, env });
  if (code !== 0) process.stderr.write(output);
}

/** Installs a package of Debian or its relatives, where this user may. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { runStep } from './run-step.ts';

/** Decides whether a package may start its service. */
const servicePolicy = '/usr/sbin/policy-rc.d';

/** Whether apt exists and this user may use it. */
export function mayInstall(): boolean {
  return process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
}

/** Does nothing if this user may not install. Starts no service. Reports why an installation failed. */
export async function installDebianPackage(name: string): Promise<void> {
  if (!mayInstall()) return;
  process.stdout.write(`\nInstalling Debian's ${name} …\n`);
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  await runStep('apt-get', ['update', '-qq'], { capture: true, env });
  const install = ['install', '-y', '-qq', '--no-install-recommends', name];
  const hasPolicy = existsSync(servicePolicy);
  if (!hasPolicy) writeFileSync(servicePolicy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  const { code, output } = await runStep('apt-get', install, { capture: true, env });
  if (!hasPolicy) rmSync(servicePolicy);
  if (code !== 0) process.stderr.write(output);
}

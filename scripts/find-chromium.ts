/** Any Chrome or Chromium of this machine; on Debian as root, its package is installed if missing. */
import { findChromium as find } from '../packages/dev/src/playwright/find-chromium.ts';
import { installDebianPackage } from './install-debian-package.ts';

export const noChromium =
  'No Chrome or Chromium was found: install one, or name it in DOWEL_CHROMIUM=/path/to/chrome.\n';

/** The path of the browser; undefined if there is none. */
export async function findChromium(): Promise<string | undefined> {
  const found = find(process.env);
  if (found) return found;
  await installDebianPackage('chromium');
  return find(process.env);
}

/** The path of the browser. Ends the process with one line if there is none. */
export async function requireChromium(): Promise<string> {
  const found = await findChromium();
  if (found) return found;
  process.stderr.write(noChromium);
  process.exit(1);
}

/** Any Chrome or Chromium of this machine; on Debian as root, its package is installed if missing. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { installDebianPackage } from './install-debian-package.ts';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const wellKnown = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

function find(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const onPath = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  return [process.env.DOWEL_CHROMIUM, ...onPath, ...wellKnown].find(
    (path) => path !== undefined && existsSync(path),
  );
}

export const noChromium =
  'No Chrome or Chromium was found: install one, or name it in DOWEL_CHROMIUM=/path/to/chrome.\n';

/** The path of the browser; undefined if there is none. */
export async function findChromium(): Promise<string | undefined> {
  const found = find();
  if (found) return found;
  await installDebianPackage('chromium');
  return find();
}

/** The path of the browser. Ends the process with one line if there is none. */
export async function requireChromium(): Promise<string> {
  const found = await findChromium();
  if (found) return found;
  process.stderr.write(noChromium);
  process.exit(1);
}

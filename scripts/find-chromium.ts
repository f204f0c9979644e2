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

/** The path of the browser. Ends the process with one line if there is none. */
export async function findChromium(): Promise<string> {
  const found = find();
  if (found) return found;
  await installDebianPackage('chromium');
  const installed = find();
  if (installed) return installed;
  process.stderr.write(
    'No Chrome or Chromium was found: install one, or name it in DOWEL_CHROMIUM=/path/to/chrome.\n',
  );
  process.exit(1);
}

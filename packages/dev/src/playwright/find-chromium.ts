/** Chrome, Edge or Chromium, as it is installed on this machine. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const names = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'microsoft-edge',
];
const wellKnown = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
];

/** Returns the program that `DOWEL_CHROMIUM` names, or the first one that is installed; undefined if there is none. */
export function findChromium({ DOWEL_CHROMIUM, PATH = '' }: NodeJS.ProcessEnv): string | undefined {
  if (DOWEL_CHROMIUM) return DOWEL_CHROMIUM;
  const onPath = PATH.split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
  return [...onPath, ...wellKnown].find((path) => existsSync(path));
}

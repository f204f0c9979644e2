import { existsSync } from 'node:fs';
import { chromium } from '@playwright/test';
import { DevError } from '../dev-error.ts';
import { findChromium } from './find-chromium.ts';

/**
 * Returns the program of a browser for `executablePath`: the one that `DOWEL_CHROMIUM` names, else the one that Playwright has
 * downloaded, else an installed Chrome, Edge or Chromium.
 *
 * @throws DevError if there is none, with what to do
 */
export function findBrowser(): string {
  const downloaded = process.env.DOWEL_CHROMIUM ? '' : chromium.executablePath();
  if (existsSync(downloaded)) return downloaded;
  const found = findChromium(process.env);
  if (found !== undefined) return found;
  throw new DevError(
    'There is no Chrome, Edge or Chromium. Install one, name it in DOWEL_CHROMIUM=/path/to/chrome, or download one for Playwright: npx playwright install chromium',
  );
}

/** Chromium for `dowel doctor --browser`. */
import { type Browser, type BrowserPage, DoctorError } from '@dowel/conformance';
import type { Browser as Chromium, Page } from '@playwright/test';
import { DevError } from '../dev-error.ts';

/** Longer lists help nobody. */
const maxErrors = 5;
/** Runs in the frame. */
const hasContent = `Boolean(document.body?.innerText.trim() ||
  document.body?.querySelector('img, svg, canvas, video, input, select, textarea'))`;

/** @throws DoctorError `BROWSER_MISSING`, with what to install */
export async function launchBrowser(): Promise<Browser & AsyncDisposable> {
  const chromium = await launchChromium();
  return {
    async open(url) {
      const page = await chromium.newPage();
      const opened = watchPage(page);
      await page.goto(url);
      return opened;
    },
    [Symbol.asyncDispose]: () => chromium.close(),
  };
}

/** Playwright is an optional peer, so it is loaded when it is needed. */
async function launchChromium(): Promise<Chromium> {
  const { chromium } = await import('@playwright/test').catch((cause: Error) => {
    throw new DoctorError(
      'BROWSER_MISSING',
      '--browser needs Playwright: npm install -D @playwright/test',
      { cause },
    );
  });
  const { findBrowser } = await import('../playwright/find-browser.ts');
  try {
    return await chromium.launch({ executablePath: findBrowser() });
  } catch (cause) {
    const { message } = cause as Error;
    const why = cause instanceof DevError ? message : `Chromium does not start: ${message}`;
    throw new DoctorError('BROWSER_MISSING', why, { cause });
  }
}

function watchPage(page: Page): BrowserPage {
  const errors: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('pageerror', ({ message }) => errors.push(message));
  return {
    errors: () => errors.slice(0, maxErrors),
    close: () => page.close(),
    async showsFrame(timeout) {
      const frame = page.frames()[1];
      const shown = frame?.waitForFunction(hasContent, undefined, { timeout });
      return shown
        ? shown.then(
            () => true,
            () => false,
          )
        : false;
    },
  };
}

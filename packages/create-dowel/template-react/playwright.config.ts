import { findBrowser } from '@dowel/dev/playwright';
import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: 'e2e',
  expect: { timeout: 15_000 },
  // An installed Chrome, Edge or Chromium, or the one that DOWEL_CHROMIUM names.
  use: { launchOptions: { executablePath: findBrowser() } },
});

import { defineConfig } from '@playwright/test';

const chromium = {
  executablePath: process.env.DOWEL_CHROMIUM || '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
};
/** The hosts of the adapter's battery, all on the loopback. */
const loopbackHosts = 'MAP localhost 127.0.0.1,MAP *.localhost 127.0.0.1,MAP *.test 127.0.0.1';

export default defineConfig({
  testDir: '.',
  globalSetup: './build-pages.ts',
  outputDir: '../test-results',
  workers: 2,
  timeout: 240_000,
  // Catches what never comes: a busy machine is slow.
  expect: { timeout: 60_000 },
  forbidOnly: Boolean(process.env.CI),
  // Only `npm run test:all` runs them.
  ...(process.env.DOWEL_TESTS === 'all' ? {} : { grepInvert: /@long/ }),
  reporter: process.env.PLAYWRIGHT_JSON_OUTPUT_FILE ? [['list'], ['json']] : 'list',
  use: {
    browserName: 'chromium',
    launchOptions: chromium,
  },
  projects: [
    { name: 'story', testIgnore: `${import.meta.dirname}/adapter/**` },
    {
      name: 'adapter',
      testDir: 'adapter',
      use: {
        launchOptions: {
          ...chromium,
          args: [...chromium.args, `--host-resolver-rules=${loopbackHosts}`],
        },
      },
    },
  ],
});

/** A test with the battery's servers and scripts, started once. */
/* oxlint-disable no-empty-pattern -- Playwright wants a pattern, and nothing is needed */
import { test as base } from '@playwright/test';
import { bundlePages } from './bundle-pages.ts';
import { type Servers, startServers } from './servers.ts';

export const test = base.extend<object, { servers: Servers }>({
  servers: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright wants a pattern, and nothing is needed.
    async ({}, use) => {
      await using servers = await startServers(await bundlePages());
      await use(servers);
    },
    { scope: 'worker' },
  ],
});

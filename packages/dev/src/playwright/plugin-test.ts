/** Fixtures of Playwright: the author's back end as a process, and its page inside the platform's page. */
import type { Installation, Platform, Tenant, User } from '@dowel/emulator';
import { test as base, type FrameLocator } from '@playwright/test';
import { type PluginProgram, startWorld, type World } from './start-world.ts';

export { findBrowser } from './find-browser.ts';
export type { PluginProgram } from './start-world.ts';

/** Options of a test, of a file, or of `use` in the configuration. */
export interface PluginTestOptions {
  /** Who opens the page. Default: the first user of the tenant. */
  userId: string | undefined;
  /** Where the plug-in is installed. Default: the tenant of the user, or the first one. */
  tenantId: string | undefined;
}

/** Options of a file, or of `use` in the configuration. */
export interface PluginWorkerOptions {
  /** The back end. */
  plugin: PluginProgram;
}

/** What a test takes by name. */
export interface PluginFixtures {
  tenant: Tenant;
  user: User;
  /** It lasts for one test. */
  installation: Installation;
  /** The widget of the first entry point, which `user` has opened in `page`. */
  widget: FrameLocator;
  attachments: undefined;
}

/** What the tests of one worker share. */
export interface PluginWorkerFixtures {
  platform: Platform;
  world: World;
}

/**
 * `test` of Playwright with fixtures: one platform and back end for each worker, one installation for each test. The back
 * end serves the page, so build it first.
 *
 * @example
 * test('a person votes once', async ({ widget, user }) => {
 *   const texts = textsFor(user.language);
 *   const status = widget.getByRole('status');
 *
 *   await widget.getByRole('button', { name: texts.soup }).click();
 *   await expect(status).toHaveText(texts.results(1, 0));
 *
 *   await widget.getByRole('button', { name: texts.salad }).click();
 *   await expect(status).toHaveText(texts.alreadyVoted);
 * });
 */
export const test = base.extend<
  PluginTestOptions & PluginFixtures,
  PluginWorkerOptions & PluginWorkerFixtures
>({
  plugin: [{}, { scope: 'worker', option: true }],
  userId: [undefined, { option: true }],
  tenantId: [undefined, { option: true }],
  world: [
    async ({ plugin }, use) => {
      const world = await startWorld(plugin, failAtOnce);
      await use(world);
      await world.close();
    },
    // It has a limit of its own, which says more.
    { scope: 'worker', timeout: 0 },
  ],
  platform: [({ world }, use) => use(world.platform), { scope: 'worker' }],
  tenant: ({ platform, userId, tenantId }, use) => use(findTenant(platform, { userId, tenantId })),
  user: ({ tenant, userId }, use) => use(findUser(tenant, userId)),
  installation: async ({ world, tenant }, use) => {
    const { platform, manifestUrl } = world;
    const installation = await platform.install({ tenantId: tenant.tenantId, manifestUrl });
    await use(installation);
    await platform.uninstall({ tenantId: tenant.tenantId, pluginId: installation.pluginId });
  },
  widget: async ({ page, platform, user, tenant, installation }, use) => {
    const { url } = await platform.addInstance({
      tenantId: tenant.tenantId,
      pluginId: installation.pluginId,
      entryPointId: installation.entryPoints[0]?.id ?? '',
    });
    await page.goto(platform.signInUrl(user.userId));
    await use(page.frameLocator(`iframe[src=${JSON.stringify(url)}]`));
  },
  attachments: [
    async ({ world }, use, testInfo) => {
      const last = world.platform.exchanges().at(-1)?.id ?? 0;
      await use(undefined);
      if (testInfo.status === testInfo.expectedStatus) return;
      const exchanges = world.platform.exchanges().filter(({ id }) => id > last);
      await testInfo.attach('requests of the platform', {
        body: JSON.stringify(exchanges, null, 2),
        contentType: 'application/json',
      });
      await testInfo.attach('log of the back end', {
        body: world.readLog(),
        contentType: 'text/plain',
      });
    },
    { auto: true },
  ],
});

/** Playwright ends the test with an error that nobody catches, and gives the next test another worker. */
function failAtOnce(error: Error): void {
  setImmediate(() => {
    throw error;
  });
}

function findTenant({ tenants }: Platform, { userId, tenantId }: PluginTestOptions): Tenant {
  if (tenantId === undefined && userId !== undefined) {
    const home = tenants.find(({ users }) => users.some((user) => user.userId === userId));
    if (home) return home;
    throw new TypeError(
      `userId: the platform has no user ${userId}. "seedTenants" of @dowel/emulator lists all.`,
    );
  }
  const tenant =
    tenantId === undefined ? tenants[0] : tenants.find((each) => each.tenantId === tenantId);
  if (tenant) return tenant;
  throw new TypeError(`tenantId: the platform has no tenant ${tenantId}.`);
}

function findUser({ users, name }: Tenant, userId: string | undefined): User {
  const user = userId === undefined ? users[0] : users.find((each) => each.userId === userId);
  if (user) return user;
  throw new TypeError(`userId: ${name} has no user ${userId}.`);
}

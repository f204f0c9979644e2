/**
 * Fixtures of Vitest: a back end in the process of the test, and a page of a user. They are not in `@dowel/emulator`, which
 * knows only the URLs of a back end: `client` needs the adapter.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@dowel/adapter/client';
import type { Platform, Tenant, User } from '@dowel/emulator';
import {
  startTestServer,
  type TestedServer,
  type TestPage,
  type TestServer,
  type TestServerOptions,
} from '@dowel/emulator/test-server';
import type { Log } from '@dowel/server';
import { recordArtifact, type TestArtifactBase, type TestContext, test } from 'vitest';
import { collectLog } from './collect-log.ts';

/** Options for `createServer`. */
export interface PluginTestOptions extends TestServerOptions {
  /** A failed test has it as an attachment. Errors are printed, too. */
  log: Log;
}

export interface PluginWorld<Server = TestedServer> extends TestServer<Server> {
  /** The newest lines of the back end's log. */
  readLog(): string;
}

/** What a test takes by name. */
export interface PluginFixtures<Operations, Server = TestedServer> {
  /** Those of one file. */
  $file: {
    /** The back end; `openPage` opens the page of another user. */
    world: PluginWorld<Server>;
    platform: Platform;
  };
  /** Those of one test. */
  $test: {
    /** The first one of the first tenant; `test.override` names another one. */
    user: User;
    /** That of `user`. */
    tenant: Tenant;
    /** The plug-in is installed and placed, and `user` has opened it. */
    page: TestPage;
    /** Calls the operations as the page. */
    client: Client<Operations>;
    failure: undefined;
  };
}

declare module 'vitest' {
  interface TestArtifactRegistry {
    '@dowel/dev:failure': FailureArtifact;
  }
}

/** The attachments are the platform's exchanges with their secrets masked, and the log of the back end. */
export interface FailureArtifact extends TestArtifactBase {
  type: '@dowel/dev:failure';
}

/**
 * Returns a `test` of Vitest with fixtures: one platform and back end for each file, one page for each test.
 *
 * @param create creates the server with these options and your own. `world.server` is of the second type argument.
 *
 * @example
 * const test = pluginTest<typeof operations>((options) =>
 *   createServer({ ...options, manifest, operations }),
 * );
 */
export function pluginTest<Operations, Server extends TestedServer = TestedServer>(
  create: (options: PluginTestOptions) => Server,
) {
  return test.extend<PluginFixtures<Operations, Server>>({
    world: [
      // oxlint-disable no-empty-pattern -- Vitest reads the names of other fixtures from here
      // biome-ignore lint/correctness/noEmptyPattern: the same
      async ({}, use) => {
        const { log, read } = collectLog();
        await using world = await startTestServer((options) => create({ ...options, log }));
        await use({ ...world, readLog: read });
      },
      { scope: 'file' },
    ],
    platform: [({ world }, use) => use(world.platform), { scope: 'file' }],
    user: ({ platform }, use) => use(platform.tenants[0]?.users[0] as User),
    tenant: ({ platform, user }, use) => use(platform.findUser(user.userId).tenant),
    page: async ({ world, user }, use) => use(await world.openPage({ userId: user.userId })),
    client: ({ page }, use) => use(createClient<Operations>(page)),
    failure: [
      ({ world, task, onTestFailed }, use) => {
        onTestFailed(() => attachFailure(task, world));
        return use(undefined);
      },
      { auto: true },
    ],
  });
}

/** Says where Vitest has copied the files to. */
async function attachFailure(task: TestContext['task'], world: PluginWorld): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'dowel-vitest-'));
  const requests = join(folder, 'requests.json');
  const log = join(folder, 'back-end.log');
  await writeFile(requests, JSON.stringify(world.platform.exchanges(), null, 2));
  await writeFile(log, world.readLog());
  const { attachments = [] } = await recordArtifact<FailureArtifact>(task, {
    type: '@dowel/dev:failure',
    attachments: [
      { path: requests, contentType: 'application/json' },
      { path: log, contentType: 'text/plain' },
    ],
  });
  await rm(folder, { recursive: true });
  const [first, second] = attachments;
  // biome-ignore lint/suspicious/noConsole: Vitest shows it with the name of the test
  console.error(`Requests of the platform: ${first?.path}\nLog of the back end: ${second?.path}`);
}

/** A plug-in's own back end under test: on loopback, behind a platform, with the pages of its users. Nothing is mocked. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Installation, User } from './control-api.ts';
import { createPlatform, type Platform } from './platform.ts';

/** Options for `createServer` of `@dowel/server`. The process's environment counts for nothing. */
export interface TestServerOptions {
  /** Any free one. */
  port: 0;
  /** Trusts the platform of the test. */
  trust: string;
  /** An empty SQLite database in a temporary folder. */
  database: { path: string };
  /** Only errors are logged, and a stop waits for no load balancer. */
  environment: { DOWEL_LOG_LEVEL: string; DOWEL_DRAIN_MS: string };
}

/** What `createServer` of `@dowel/server` returns, and what {@link startTestServer} needs of it. */
export interface TestedServer {
  start(): Promise<{ url: string }>;
  close(): Promise<void>;
}

export interface TestServer<Server> extends AsyncDisposable {
  readonly server: Server;
  /** The public URL of the back end. */
  readonly url: string;
  /** Installs, uninstalls, revokes tokens, moves its clock, and has the notifications that arrived. */
  readonly platform: Platform;
  /**
   * Opens a page of the plug-in with a session, as a user's browser does. The plug-in is installed if the tenant does
   * not have it yet.
   *
   * @throws Error with the answer, if the back end opens no session; InstallationFailedError, if it refuses the
   *   installation; PlatformError `USER_NOT_FOUND`
   */
  openPage(choice?: PageChoice): Promise<TestPage>;
  /** Closes the server and the platform, and removes the database. `await using` does it, too. */
  close(): Promise<void>;
}

export interface PageChoice {
  /** Who is signed in. Default: the first user of the first tenant. */
  userId?: string;
  /** A widget that is placed already. Default: a new one. */
  instanceId?: string;
  /** Of a server with several plug-ins: the path of one, such as `/polls`. */
  path?: string;
}

export interface TestPage {
  readonly user: User;
  readonly tenantId: string;
  readonly pluginId: string;
  readonly instanceId: string;
  /**
   * Calls the back end with the page's session, so `createClient` of `@dowel/adapter/client` takes a page like an
   * adapter. A path is relative to the back end's URL, and a redirect is an error. A session that has ended is not
   * renewed: the answer is 401. Rejects with a TypeError for another origin.
   */
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>;
}

interface World {
  platform: Platform;
  url: string;
  /** By tenant and path, while they are being installed. */
  installing: Map<string, Promise<Installation>>;
}

/** A pooled connection must not meet a closing socket. Node's default is 5 s. */
const keepAliveMs = 120_000;

/**
 * Starts a back end for tests.
 *
 * @param create creates the server with these options and your own
 * @throws what `create` and `start` throw
 *
 * @example
 * await using world = await startTestServer((options) =>
 *   createServer({ ...options, manifest, operations }),
 * );
 * const client = createClient<typeof operations>(await world.openPage());
 * const { soup } = await client.vote({ choice: 'soup' });
 */
export async function startTestServer<Server extends TestedServer>(
  create: (options: TestServerOptions) => Server,
): Promise<TestServer<Server>> {
  const folder = await mkdtemp(join(tmpdir(), 'dowel-test-server-'));
  const host = createHttpServer({ keepAliveTimeout: keepAliveMs });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
  const platform = createPlatform({ origin, keyBits: 2048 });
  host.on('request', platform.callback());
  let server: Server | undefined;
  const close = async () => {
    try {
      await server?.close();
    } finally {
      platform.close();
      host.close();
      host.closeAllConnections();
      await rm(folder, { recursive: true, force: true });
    }
  };
  try {
    server = create({
      port: 0,
      trust: `${origin}=${origin}/certificates/`,
      database: { path: join(folder, 'dowel.sqlite') },
      environment: { DOWEL_LOG_LEVEL: 'error', DOWEL_DRAIN_MS: '0' },
    });
    const { url } = await server.start();
    const world: World = { platform, url, installing: new Map() };
    const openPage = (choice: PageChoice = {}) => openTestPage(world, choice);
    return { server, url, platform, openPage, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openTestPage(world: World, choice: PageChoice): Promise<TestPage> {
  const { platform, url } = world;
  const { path = '', userId = platform.tenants[0]?.users[0]?.userId ?? '' } = choice;
  const { user, tenant } = platform.findUser(userId);
  const { tenantId } = tenant;
  const { pluginId, entryPoints } = await findOrInstall(world, tenantId, path);
  const entryPointId = entryPoints[0]?.id ?? '';
  const { instanceId } =
    choice.instanceId === undefined
      ? await platform.addInstance({ tenantId, pluginId, entryPointId })
      : { instanceId: choice.instanceId };
  const sessionToken = await openSession(world, path, { userId, instanceId });
  return {
    user,
    tenantId,
    pluginId,
    instanceId,
    fetch: async (target, init) => fetchWith(sessionToken, resolveBelow(url, target), init),
  };
}

/** @throws TypeError for another origin, which would get the session's token. */
function resolveBelow(url: string, target: string): URL {
  const resolved = new URL(target, `${url}/`);
  if (resolved.origin === new URL(url).origin) return resolved;
  throw new TypeError(`${target} is not at the back end: give a path of ${url}`);
}

function fetchWith(sessionToken: string, url: URL, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('authorization', `Bearer ${sessionToken}`);
  return fetch(url, { ...init, headers, redirect: 'error' });
}

/** Two pages that are opened at once share an installation. */
async function findOrInstall(
  { platform, url, installing }: World,
  tenantId: string,
  path: string,
): Promise<Installation> {
  const manifestUrl = `${url}${path}/manifest.json`;
  const key = `${tenantId} ${path}`;
  const running = installing.get(key);
  if (running) return running;
  const { installations } = platform.plugins(tenantId);
  const installed = installations.find((each) => each.manifestUrl === manifestUrl);
  if (installed) return installed;
  const started = platform.install({ tenantId, manifestUrl }).finally(() => installing.delete(key));
  installing.set(key, started);
  return started;
}

/** The platform's init JWT has the back end's nonce, as a page asks for it. */
async function openSession(
  { platform, url }: World,
  path: string,
  { userId, instanceId }: { userId: string; instanceId: string },
): Promise<string> {
  const { nonce: jti } = await post<{ nonce: string }>(`${url}${path}/api/session/nonce`);
  const initJwt = await platform.createInitJwt({ userId, instanceId, jti });
  const body = { initJwt, instanceId };
  return (await post<{ sessionToken: string }>(`${url}${path}/api/session`, body)).sessionToken;
}

const tries = 10;

/** A busy server answers 503, and says when to try again. */
async function post<Answer>(url: string, body: object = {}): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'error',
    });
    if (response.ok) return (await response.json()) as Answer;
    const retryAfter = response.headers.get('retry-after');
    if (response.status !== 503 || retryAfter === null || attempt === tries) {
      throw new Error(`No session: ${response.status} ${await response.text()}`);
    }
    await response.body?.cancel();
    await pause(Number(retryAfter) * 1000);
  }
}

/** A server and a platform on real sockets with a real database, for integration tests. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createPlatform, type Platform, type PlatformOptions } from '@dowel/emulator';
import { keyedSnapshot } from '@dowel/emulator/testing';
import type { Store } from '@dowel/installation-store';
import { sqlite, type TestDatabaseKind } from '@dowel/installation-store/testing';
import { parseTrustRules } from '@dowel/platform-jwt';
import { type Manifest, manifestSchema } from '@dowel/schema';
import type { AppOptions } from '../app/app-context.ts';
import { type App, createApp } from '../app/create-app.ts';
import type { policy } from '../base/policy.ts';
import type { OidcSettings } from '../dashboard/oidc-settings.ts';
import { listEventAddresses } from '../events/event-addresses.ts';
import type { Hooks } from '../hooks/hooks.ts';
import { createAnswerHeaders } from '../http/answer-headers.ts';
import { createHttpServer, type ServerLimits } from '../http/http-server.ts';
import type { Route } from '../http/koa-app.ts';
import { createLogger } from '../log/logger.ts';
import { createNotification } from '../operations/create-notification.ts';
import { createServerPlatform } from '../platform/server-platform.ts';
import { type Configuration, readConfiguration } from '../settings/read-configuration.ts';
import { closeHost, listenOnLoopback } from './loopback.ts';

const builtPages = {
  plugin: fileURLToPath(new URL('../../../../apps/plugin/dist', import.meta.url)),
  admin: fileURLToPath(new URL('../../../../apps/admin/dist', import.meta.url)),
};

export interface World extends AsyncDisposable {
  /** All routes of the BFF. */
  routes: readonly Route[];
  /** Sockets that the server holds open. */
  countConnections(): Promise<number>;
  /** Resolves when no event is being decided and no token renewed. */
  announceStop(): void;
  checkDatabase(): Promise<void>;
  drain(): Promise<void>;
  /** Sends the due triggers, and reports broken installations. */
  heal(): Promise<void>;
  reviewCalls(): Promise<void>;
  /** The API of an installation's platform, without a user. */
  platformOf(installationId: string): ReturnType<typeof createServerPlatform>;
  /** Calls the hooks that are due. */
  runHooks(): Promise<number>;
  /** Stores the deliveries of events, and counts of refusals. */
  writeDeliveries(): Promise<void>;
  /** Evaluates the rules of alerts, if due. */
  checkAlerts(): Promise<void>;
  /** Sends the messages of alerts that are due. */
  deliverAlerts(): Promise<number>;
  /** Continues a run whose process has ended. */
  resumeRun(): Promise<void>;
  /** Moves the clock of the database. */
  shiftClock(ms: number): Promise<void>;
  /** Replaces the BFF. Database and address stay; memory is lost. */
  restart(): Promise<void>;
  platform: Platform;
  store: Store;
  url: string;
  signInCode: string;
  /** Signs an operator in by the one-time code. Returns the session's cookie. */
  signIn(): Promise<string>;
  tenantId: string;
  user: { userId: string; email: string };
  colleague: { userId: string; email: string };
  /** Every log line as text. */
  logs: string[];
  /** The lines of a log at level info. */
  infoLines(): Record<string, unknown>[];
  reportSuppressed(): void;
  install(): Promise<{ pluginId: string; instanceId: string; installationId: string }>;
  /** An init JWT of the user, as the platform's page passes it to the iframe. */
  createInitJwt(instanceId: string, jti?: string): Promise<string>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  openSession(instanceId: string): Promise<string>;
  notify(sessionToken: string, message: string): Promise<Response>;
}

/** What differs from a server without options. */
type AppChanges = Partial<Pick<AppOptions, 'plugins'>> &
  Partial<Omit<AppOptions['options'], 'dashboard'>> &
  Partial<Omit<Configuration, 'dashboard' | 'limits' | 'manifest' | 'sessions'>> & {
    dashboard?: { directory: string; oidc?: OidcSettings };
    limits?: Partial<Configuration['limits'] & typeof policy>;
    sessions?: Partial<Configuration['sessions']>;
  };

export interface WorldOptions {
  /** Default: SQLite. */
  database?: TestDatabaseKind;
  app?: AppChanges & {
    manifest?: Manifest;
    manifestText?: string;
    pages?: { plugin: string; admin: string };
    /** Called by `runHooks`. */
    hooks?: Hooks;
  };
  serverLimits?: Partial<ServerLimits>;
  platform?: Partial<PlatformOptions>;
}

/** Starts the BFF and the platform on free ports. */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const { platform, ...platformServer } = await startPlatform(options.platform);
  const database = await (options.database ?? sqlite).create();
  const store = await database.open();
  const { logs, ...log } = createMemoryLog();
  const bff = await startBff({ options, platformUrl: platformServer.url, store, ...log });
  const { url } = bff;

  const tenant = platform.tenants[0];
  const [user, colleague] = tenant?.users ?? [];
  if (!tenant || !user || !colleague) throw new Error('The world is incomplete');
  const { tenantId } = tenant;

  const world: World = {
    ...bff.controls,
    platform,
    store,
    url,
    tenantId,
    user,
    colleague,
    logs,
    infoLines: () =>
      logs
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter(({ level }) => Number(level) >= 30),
    reportSuppressed: log.endReports,
    shiftClock: database.shiftClock,
    install: () => install({ platform, store, url, tenant }),
    createInitJwt: (instanceId, jti = randomBytes(16).toString('hex')) =>
      platform.createInitJwt({ userId: user.userId, instanceId, jti }),
    post: (path, body, headers = {}) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    signIn: async () =>
      cookieOf(
        await world.post('/admin/api/session', { code: world.signInCode }, { 'x-dowel-csrf': '1' }),
      ),
    openSession: (instanceId) => openSession(world, instanceId),
    notify: (sessionToken, message) =>
      world.post(
        '/api/createNotification',
        { recipientEmail: colleague.email, message },
        { authorization: `Bearer ${sessionToken}` },
      ),
    async [Symbol.asyncDispose]() {
      platform.close();
      await Promise.all([closeHost(bff.server), closeHost(platformServer.server)]);
      await database.destroy();
    },
  };
  return world;
}

/** Returns the session cookie of a sign-in's answer. */
export function cookieOf({ status, headers }: Response): string {
  const [cookie] = headers.get('set-cookie')?.split(';', 1) ?? [];
  if (status !== 201 || !cookie) throw new Error(`The sign-in failed: ${status}`);
  return cookie;
}

async function startPlatform(options: Partial<PlatformOptions> = {}) {
  // A pooled connection must not meet a closing socket.
  const server = createServer({ keepAliveTimeout: 120_000 });
  const url = await listenOnLoopback(server);
  const platform = createPlatform({
    origin: url,
    snapshot: keyedSnapshot(url),
    resendDelaysMs: [1],
    ...options,
  });
  server.on('request', platform.callback());
  return { platform, server, url };
}

function createMemoryLog() {
  const logs: string[] = [];
  const destination = { write: (line: string) => logs.push(line) };
  return { logs, ...createLogger({ level: 'trace', destination }) };
}

const manifestUrl = new URL('../../../../manifest.json', import.meta.url);

async function startBff({
  options: { app = {}, serverLimits },
  platformUrl,
  store,
  logger,
}: {
  options: WorldOptions;
  platformUrl: string;
  store: Store;
  logger: AppOptions['logger'];
}) {
  let listener: RequestListener = () => {};
  const server = createHttpServer((request, response) => listener(request, response), {
    limits: serverLimits,
    headers: createAnswerHeaders(app.publicUrl ?? 'http://localhost'),
    logger,
  });
  const url = await listenOnLoopback(server);
  const appOptions = await readAppOptions(app, { url, platformUrl, store, logger });
  let bff = createApp(appOptions);
  listener = bff.callback();
  const controls: BffControls = {
    routes: bff.routes,
    signInCode: await store.accounts.createSignInCode({
      name: 'ada',
      expiresAt: (app.now ?? Date.now)() + 600_000,
    }),
    countConnections: () => promisify(server.getConnections.bind(server))(),
    announceStop: () => bff.announceStop(),
    checkDatabase: () => bff.checkDatabase(),
    heal: () => bff.heal(),
    reviewCalls: () => bff.reviewCalls(),
    platformOf: (id) => createServerPlatform(bff.platformContext, id),
    drain: () => end(bff),
    writeDeliveries: () => bff.writeDeliveries(),
    checkAlerts: () => bff.checkAlerts(),
    deliverAlerts: () => bff.deliverAlerts(),
    resumeRun: () => bff.resumeRun(),
    runHooks: () => bff.hooks.runDue(),
    async restart() {
      await end(bff);
      bff = createApp(appOptions);
      listener = bff.callback();
    },
  };
  return { server, url, controls };
}

async function readAppOptions(
  app: NonNullable<WorldOptions['app']>,
  {
    url,
    platformUrl,
    store,
    logger,
  }: { url: string; platformUrl: string; store: Store; logger: AppOptions['logger'] },
): Promise<AppOptions> {
  const { manifestText = await readFile(manifestUrl, 'utf8'), pages = builtPages, ...rest } = app;
  const { manifest = manifestSchema.parse(JSON.parse(manifestText)), hooks } = rest;
  const { publicUrl = url, dashboard = { directory: pages.admin }, limits, sessions } = rest;
  const { fetch, hookPolicy, now, observe, sessionClaims, plugins, ...configured } = rest;
  const { oidc, ...pagesOfAdmin } = dashboard;
  const defaults = readConfiguration({ environment: {}, publicUrl });
  const plugin = {
    name: '',
    manifest,
    manifestText,
    addresses: listEventAddresses(manifest, publicUrl),
    frontend: { directory: pages.plugin },
    operations: manifest.apiAccess ? { createNotification } : {},
    hooks,
    ownRoutes: { ofUsers: [], ofAll: [] },
  };
  return {
    store,
    plugins: plugins ?? [plugin],
    configuration: {
      ...defaults,
      trust: parseTrustRules(`${platformUrl}=${platformUrl}/certificates/`),
      ...configured,
      manifest: defaults.manifest,
      dashboard: { origin: undefined, oidc },
      limits: { ...defaults.limits, ...limits },
      sessions: { ...defaults.sessions, ...sessions },
    },
    options: { fetch, hookPolicy, now, observe, sessionClaims, dashboard: pagesOfAdmin },
    logger,
  };
}

/** Ends the BFF. Running hooks are aborted. */
async function end({ drain, hooks, drainAlerts }: App): Promise<void> {
  await Promise.all([drain(), hooks.drain({ graceMs: 0 }), drainAlerts(0)]);
}

type BffControls = Pick<
  World,
  | 'routes'
  | 'signInCode'
  | 'countConnections'
  | 'announceStop'
  | 'checkDatabase'
  | 'heal'
  | 'reviewCalls'
  | 'platformOf'
  | 'drain'
  | 'runHooks'
  | 'writeDeliveries'
  | 'checkAlerts'
  | 'deliverAlerts'
  | 'resumeRun'
  | 'restart'
>;

async function install({
  platform,
  store,
  url,
  tenant: { tenantId, baseUrl },
}: Pick<World, 'platform' | 'store' | 'url'> & { tenant: Platform['tenants'][number] }) {
  const manifestUrl = `${url}/manifest.json`;
  const { pluginId, entryPoints } = await platform.install({ tenantId, manifestUrl });
  const entryPointId = entryPoints[0]?.id ?? '';
  const { instanceId } = await platform.addInstance({ tenantId, pluginId, entryPointId });
  const installation = await store.installations.find({ issuer: baseUrl, tenantId, pluginId });
  if (!installation) throw new Error('The installation is not stored');
  return { pluginId, instanceId, installationId: installation.id };
}

async function openSession(world: World, instanceId: string): Promise<string> {
  const initJwt = await world.createInitJwt(instanceId);
  const response = await world.post('/api/session', { initJwt, instanceId });
  if (!response.ok) throw new Error(`No session: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { sessionToken: string }).sessionToken;
}

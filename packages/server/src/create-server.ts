/** The server of one or several plug-ins: a list of bindings over its context. */
import { createDrain } from '@dowel/http';
import type { Store } from '@dowel/installation-store';
import { type Background, startBackground } from './background.ts';
import { type App, createApp } from './create-app.ts';
import { createSignInLink } from './dashboard/sign-in-link.ts';
import { explainListenFailure } from './explain-listen-failure.ts';
import { runOnce } from './hooks/run-once.ts';
import { createAnswerHeaders } from './http/answer-headers.ts';
import { createHttpServer, listen } from './http/http-server.ts';
import {
  beginDraining,
  createHandlerContext,
  type HandlerContext,
  handleRequest,
  untilQuiet,
} from './http/node-handler.ts';
import type { Log } from './log/log.ts';
import { createServerLog } from './log/server-log.ts';
import { guardObserver, type Observe } from './observation.ts';
import { openServerStore } from './open-store.ts';
import { createServerPlatform, notifyFromServer } from './platform/server-platform.ts';
import { definePlugins, type PluginDefinition, readPlugins, type ServedPlugin } from './plugins.ts';
import { type Configuration, describeSources, readOptions } from './read-options.ts';
import { ServerClosedError } from './server-closed-error.ts';
import {
  getInstallation,
  listInstallations,
  listInstanceIds,
  listParkedHooks,
} from './server-lists.ts';
import type { RequestHandler, Server, ServerOptions, StartedServer } from './server-options.ts';

/** What is there while the server is open. */
interface Opened {
  configuration: Configuration;
  plugins: readonly ServedPlugin[];
  store: Store;
  app: App;
  background: Background;
}

interface ServerContext {
  options: ServerOptions;
  plugins: readonly PluginDefinition[];
  log: Log;
  /** Writes how many lines were left out. */
  reportSuppressed: () => void;
  observe: Observe;
  handler: HandlerContext;
  opening: Promise<void> | undefined;
  starting: Promise<StartedServer> | undefined;
  opened: Opened | undefined;
  /** Ends the server of `start`. */
  stopListening: (() => Promise<void>) | undefined;
  /** Aborted by `close`. */
  ending: AbortController;
  closing: Promise<void> | undefined;
  closed: PromiseWithResolvers<void>;
}

/** `disconnect`: the parent process has ended. */
const stopSignals = ['SIGINT', 'SIGTERM', 'disconnect'];

const nobodyIsTrusted =
  'DOWEL_TRUST is not set: no platform is believed, so every event and every session is refused. Say whose events are believed, and restart.';

/**
 * Creates the back end of a plug-in, or of several. It receives the platform's events, keeps the tokens, opens
 * sessions and answers the page's calls (Spec §3, §4). Does no I/O: `open` or `start` begins.
 *
 * @example
 * const trust = `${platformUrl}=${platformUrl}/certificates/`;
 * const server = createServer({ manifest, trust, ...rest });
 * const { url } = await server.start();
 *
 * @param options see {@link CommonOptions} and {@link PluginOptions}. An option wins over its variable
 *   `DOWEL_…`, which wins over the default.
 * @throws TypeError for a plug-in's name or a route that is malformed, registered twice, or the server's own.
 */
export function createServer(options: ServerOptions): Server {
  const context = createServerContext(options);
  const close = () => closeServer(context);
  return {
    open: () => openServer(context),
    start() {
      context.starting ??= startServer(context);
      return context.starting;
    },
    drain: ({ graceMs } = {}) => drainServer(context, graceMs),
    close,
    closed: context.closed.promise,
    log: context.log,
    callback: () => createCallback(context),
    isReady: () => !context.handler.isDraining && context.opened?.app.isReady() === true,
    installations: {
      list: (query = {}) => listInstallations(storeOf(context), query),
      get: (id) => getInstallation(storeOf(context), id),
      instanceIds: (id) => listInstanceIds(storeOf(context), id),
    },
    platform: (choice) => createServerPlatform(openedOf(context).app.platformContext, choice),
    notify: async (from, notification, options = {}) =>
      notifyFromServer(openedOf(context).app.platformContext, from, { notification, ...options }),
    hooks: {
      parked: (query = {}) => listParkedHooks(storeOf(context), query),
      replay: (id) => storeOf(context).hooks.replay(id),
      runDue: () => openedOf(context).app.hooks.runDue(),
    },
    runOnce: (turn, work) => runOnce(storeOf(context), turn, work),
    [Symbol.asyncDispose]: close,
  };
}

function createServerContext(options: ServerOptions): ServerContext {
  const plugins = definePlugins(options);
  const { log, reportSuppressed } = createServerLog(options);
  return {
    options,
    plugins,
    log,
    reportSuppressed,
    observe: guardObserver(options.observe),
    handler: createHandlerContext(log),
    opening: undefined,
    starting: undefined,
    opened: undefined,
    stopListening: undefined,
    ending: new AbortController(),
    closing: undefined,
    closed: Promise.withResolvers(),
  };
}

/** @throws TypeError before `open` has ended */
function openedOf({ opened }: ServerContext): Opened {
  if (!opened) throw new TypeError('The server is not open: await open() or start() first');
  return opened;
}

function storeOf(context: ServerContext): Store {
  return openedOf(context).store;
}

function createCallback({ handler }: ServerContext): RequestHandler {
  return (request, response, next) => handleRequest(handler, { request, response }, next);
}

/** A failed `open` may be tried again. */
function openServer(context: ServerContext): Promise<void> {
  if (context.closing) return Promise.reject(new ServerClosedError());
  context.handler.isOpening = true;
  context.opening ??= openOnce(context).catch((error: unknown) => {
    context.opening = undefined;
    throw error;
  });
  return context.opening;
}

async function openOnce(context: ServerContext): Promise<void> {
  const { options, log, observe, ending } = context;
  const configuration = readOptions(options);
  log.debug({ sources: describeSources(options) }, 'configuration.read');
  const plugins = await readPlugins(context.plugins, configuration, log);
  const store = await openServerStore(configuration, { log, observe, signal: ending.signal }).catch(
    (error: unknown) => {
      throw ending.signal.aborted ? new ServerClosedError() : error;
    },
  );
  if (ending.signal.aborted) {
    await store.close();
    throw new ServerClosedError();
  }
  const app = assembleApp(context, { configuration, plugins, store });
  const { historyDays, stopGraceMs, basePath, stripBasePath, publicUrl } = configuration;
  const { dashboard, now = Date.now } = options;
  dashboard?.onSignInLink?.(await createSignInLink({ store, publicUrl, now }));
  const background = startBackground({ app, store, historyDays, stopGraceMs, log });
  context.opened = { configuration, plugins, store, app, background };
  context.handler.mounted = { handle: app.callback(), basePath, stripBasePath };
}

function assembleApp(
  { options, log, observe }: ServerContext,
  { configuration, plugins, store }: Pick<Opened, 'configuration' | 'plugins' | 'store'>,
): App {
  const { publicUrl, trustRules, internalHosts, proxyHops, pluginIds, audience } = configuration;
  const { profile, eventPath, essentialScopes, sessionNonce } = configuration;
  const { receptionLimits, exchangesPerMinute, notificationLimits } = configuration;
  const { hookPolicy, fetch, now } = options;
  const dashboard = options.dashboard && { ...options.dashboard, oidc: configuration.oidc };
  return createApp({
    store,
    plugins,
    publicUrl,
    trustRules,
    internalHosts,
    proxyHops,
    pluginIds,
    audience,
    profile,
    eventPath,
    essentialScopes,
    sessionNonce,
    receptionLimits,
    exchangesPerMinute,
    notificationLimits,
    dashboard,
    hookPolicy,
    logger: log,
    ...(options.observe && { observe }),
    fetch,
    ...(now && { now }),
  });
}

/** The signals count from before `open`, which may wait for a database. */
async function startServer(context: ServerContext): Promise<StartedServer> {
  const stop = () => void closeServer(context);
  for (const signal of stopSignals) process.on(signal, stop);
  void context.closed.promise.then(() => {
    for (const signal of stopSignals) process.off(signal, stop);
  });
  try {
    return await listenAndOpen(context);
  } catch (error) {
    await closeServer(context);
    throw error;
  }
}

/** The server listens when it can answer. Only a free port must be found before: the public URL has it. */
async function listenAndOpen(context: ServerContext): Promise<StartedServer> {
  const planned = readOptions(context.options);
  const freePort = planned.port === 0 ? await listenAt(context, planned) : undefined;
  if (freePort !== undefined && isDefaultUrl(planned)) {
    context.options = { ...context.options, publicUrl: `http://localhost:${freePort}` };
  }
  await openServer(context);
  const { opened } = context;
  if (!opened) throw new ServerClosedError();
  const { configuration, plugins } = opened;
  const port = freePort ?? (await listenAt(context, configuration));
  const warnings = configuration.trustRules.length === 0 ? [nobodyIsTrusted] : [];
  for (const warning of warnings) context.log.warn(warning);
  return {
    url: configuration.publicUrl,
    port,
    events: plugins.flatMap(({ addresses }) => addresses),
    warnings,
  };
}

/** Nobody can mean port 0 of a public URL. */
function isDefaultUrl({ publicUrl }: Configuration): boolean {
  return new URL(publicUrl).port === '0';
}

/** @returns the port. @throws ConfigError when the address cannot be used. */
async function listenAt(context: ServerContext, configuration: Configuration): Promise<number> {
  const { publicUrl, proxyHops, host, port, drainMs, stopGraceMs } = configuration;
  const { maxConnections, connectionsPerAddress, keepAliveTimeoutMs } = configuration;
  const server = createHttpServer(createCallback(context), {
    limits: {
      maxConnections,
      // Behind a proxy every connection has the proxy's address.
      connectionsPerAddress: proxyHops > 0 ? Infinity : connectionsPerAddress,
      keepAliveTimeoutMs,
    },
    headers: createAnswerHeaders(publicUrl),
    logger: context.log,
  });
  const drain = createDrain(server);
  const actual = await listen(server, port, host).catch((error: NodeJS.ErrnoException) => {
    throw explainListenFailure(error, configuration);
  });
  context.stopListening = () => drain({ listenMs: drainMs, graceMs: stopGraceMs });
  return actual;
}

/** Nothing that was begun is cut before `graceMs`. */
async function drainServer(context: ServerContext, graceMs?: number): Promise<void> {
  beginDraining(context.handler);
  const { opened } = context;
  if (!opened) return;
  opened.app.announceStop();
  const ended = endWork(context, opened);
  // Whoever waits for `close` still gets its failure.
  ended.catch(() => undefined);
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, graceMs ?? opened.configuration.stopGraceMs);
  await Promise.race([ended, late.promise]).finally(() => clearTimeout(timer));
}

async function endWork({ handler }: ServerContext, { app, background }: Opened): Promise<void> {
  await Promise.all([background.stop(), untilQuiet(handler)]);
  // Not earlier: a request under way may still wait for a token.
  await app.drain();
}

function closeServer(context: ServerContext): Promise<void> {
  context.closing ??= closeOnce(context).finally(context.closed.resolve);
  return context.closing;
}

async function closeOnce(context: ServerContext): Promise<void> {
  const { ending, opening, handler } = context;
  ending.abort();
  await opening?.catch(() => undefined);
  const { opened } = context;
  opened?.app.announceStop();
  // While it still listens, it answers: a balancer needs time to look away.
  await Promise.all([opened?.background.stop(), context.stopListening?.()]);
  await drainServer(context);
  handler.mounted = undefined;
  context.opened = undefined;
  await opened?.store.close();
  context.reportSuppressed();
}

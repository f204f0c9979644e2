/** The context that the functions of one server share. */
import type { Store } from '@dowel/installation-store';
import type { App } from '../app/create-app.ts';
import { definePlugins, type PluginDefinition } from '../app/plugins.ts';
import { readHookPolicy } from '../hooks/policy.ts';
import { createHandlerContext, type HandlerContext, handleRequest } from '../http/node-handler.ts';
import type { Log } from '../log/log.ts';
import { createServerLog } from '../log/server-log.ts';
import { guardObserver, type Observe } from '../observation.ts';
import type { ServedPlugin } from '../served-plugin.ts';
import type { RequestHandler, ServerOptions, StartedServer } from '../server-options.ts';
import { assertOptions } from '../settings/assert-options.ts';
import { type Configuration, readPlace } from '../settings/read-configuration.ts';
import type { Background } from './background.ts';
import type { MetricsServer } from './serve-metrics.ts';
import { ServerClosedError } from './server-closed-error.ts';
import { createTurns, type Turns } from './turns.ts';

/** Exists only while the server is open. */
export interface Opened {
  configuration: Configuration;
  plugins: readonly ServedPlugin[];
  store: Store;
  app: App;
  background: Background;
  /** Undefined without a port for metrics. */
  metricsServer: MetricsServer | undefined;
}

export interface ServerContext {
  options: ServerOptions;
  plugins: readonly PluginDefinition[];
  log: Log;
  /** Logs how many lines were suppressed, and ends the timer that does it once a minute. */
  endReports: () => void;
  observe: Observe;
  handler: HandlerContext;
  turns: Turns;
  opening: Promise<void> | undefined;
  starting: Promise<StartedServer> | undefined;
  opened: Opened | undefined;
  /** The port of the server of `start`. */
  port: number | undefined;
  /** Ends the server of `start`. */
  stopListening: (() => Promise<void>) | undefined;
  /** Aborted by `close`. */
  ending: AbortController;
  draining: Promise<void> | undefined;
  closing: Promise<void> | undefined;
  closed: PromiseWithResolvers<void>;
}

/** @throws TypeError for an option that is unknown or has a wrong type. Does no I/O. */
export function createServerContext(options: ServerOptions): ServerContext {
  assertOptions(options);
  readHookPolicy(options.hookPolicy);
  const plugins = definePlugins(options);
  const { log, endReports } = createServerLog({
    log: options.log,
    environment: options.environment,
  });
  return {
    options,
    plugins,
    log,
    endReports,
    observe: guardObserver(options.observe),
    handler: createHandlerContext(log, () => readPlace(options)),
    turns: createTurns(),
    opening: undefined,
    starting: undefined,
    opened: undefined,
    port: undefined,
    stopListening: undefined,
    ending: new AbortController(),
    draining: undefined,
    closing: undefined,
    closed: Promise.withResolvers(),
  };
}

/** @throws TypeError before `open` has ended; ServerClosedError after `close` */
export function openedOf({ opened, closing }: ServerContext): Opened {
  if (opened) return opened;
  if (closing) throw new ServerClosedError();
  throw new TypeError('The server is not open: await open() or start() first');
}

export function storeOf(context: ServerContext): Store {
  return openedOf(context).store;
}

/** Creates the handler that a host framework mounts. Below the base path it answers 503 until `open` has ended. */
export function createCallback({ handler }: ServerContext): RequestHandler {
  return (request, response, next) => handleRequest(handler, { request, response }, next);
}

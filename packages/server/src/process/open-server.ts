/** Opens the database, assembles the app, and starts the background work. */
import { describeRules } from '@dowel/platform-jwt';
import { findPageProblem } from '../app/assert-built.ts';
import { type App, createApp } from '../app/create-app.ts';
import { readPlugins } from '../app/plugins.ts';
import { readOwnVersion } from '../base/own-version.ts';
import { createSignInLink } from '../dashboard/sign-in-link.ts';
import { quietOutages } from '../log/quiet-outages.ts';
import { describeSettings } from '../settings/describe-settings.ts';
import { describeSources, readConfiguration } from '../settings/read-configuration.ts';
import { noBackground, startBackground } from './background.ts';
import { openServerStore } from './open-store.ts';
import { serveMetrics } from './serve-metrics.ts';
import { ServerClosedError } from './server-closed-error.ts';
import type { Opened, ServerContext } from './server-context.ts';

/** A failed `open` may be tried again. */
export function openServer(context: ServerContext): Promise<void> {
  if (context.closing) return Promise.reject(new ServerClosedError());
  context.handler.isOpening = true;
  context.opening ??= openOnce(context).catch((error: unknown) => {
    context.opening = undefined;
    throw error;
  });
  return context.opening;
}

async function openOnce(context: ServerContext): Promise<void> {
  const { options, log } = context;
  const configuration = readConfiguration(options);
  log.info({ version: readOwnVersion(), node: process.version }, 'server.started');
  log.debug({ sources: describeSources(options) }, 'configuration.read');
  log.info({ rules: describeRules(configuration.trust) }, 'trust.read');
  const plugins = await readPlugins(context.plugins, configuration, log);
  await warnOfDashboard(context);
  // Before the database: its loss can be seen, and a port in use is known at once.
  const metricsServer = await serveMetrics(configuration, log);
  const read = { configuration, plugins, metricsServer };
  await openStored(context, read).catch(async (error: unknown) => {
    await metricsServer?.stop();
    throw error;
  });
}

type Read = Pick<Opened, 'configuration' | 'plugins' | 'metricsServer'>;

async function openStored(context: ServerContext, read: Read): Promise<void> {
  const { log, observe, ending } = context;
  const store = await openServerStore(read.configuration, {
    log,
    observe,
    signal: ending.signal,
  }).catch((error: unknown) => {
    throw ending.signal.aborted ? new ServerClosedError() : error;
  });
  if (ending.signal.aborted) {
    await store.close();
    throw new ServerClosedError();
  }
  await beginWork(context, { ...read, store }).catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  // The server of `start` is ready when it listens.
  if (!context.starting) log.info('server.ready');
}

/** Without the dashboard's pages the rest of the server works, so it starts with a warning. */
async function warnOfDashboard({ options: { dashboard }, log }: ServerContext): Promise<void> {
  if (!dashboard) return;
  const problem = await findPageProblem('dashboard.directory', dashboard.directory);
  if (problem !== undefined) log.warn(problem);
}

async function beginWork(
  context: ServerContext,
  read: Read & Pick<Opened, 'store'>,
): Promise<void> {
  const { store } = read;
  const app = assembleApp(context, read);
  const { turns, log } = context;
  const { limits, basePath, stripBasePath, adminUrl } = read.configuration;
  await store.backEnd.recordAdminUrl(adminUrl);
  const { dashboard, now = Date.now } = context.options;
  dashboard?.onSignInLink?.(await createSignInLink({ store, adminUrl, now }));
  const { isDraining } = context.handler;
  // `drain` came before: this process serves until it is closed, but balancers send it nothing.
  if (isDraining) app.announceStop();
  const background = isDraining
    ? noBackground
    : startBackground({ app, store, turns, historyDays: limits.historyDays, log });
  context.opened = { ...read, app, background };
  context.handler.findPlace = () => ({ basePath, stripBasePath });
  context.handler.handle = app.callback();
}

function assembleApp(
  context: ServerContext,
  { configuration, plugins, store, metricsServer }: Read & Pick<Opened, 'store'>,
): App {
  const { options, observe } = context;
  return createApp({
    store,
    plugins,
    configuration,
    metrics: metricsServer?.metrics,
    options: { ...options, observe },
    logger: quietOutages(context.log, store.isAway),
    describeSettings: () =>
      describeSettings({ configuration, options, plugins, port: context.port }),
  });
}

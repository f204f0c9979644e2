/** Starts a program on this package: its server, its background work and its end. */
import { createDrain } from '@dowel/http';
import { openServerKeyring, openStore, type Store } from '@dowel/installation-store';
import type { Logger } from 'pino';
import { awaitDatabase } from './await-database.ts';
import { type Config, readConfig } from './configuration.ts';
import { type App, createApp } from './create-app.ts';
import { createAdminSignIn, type SignInCode } from './dashboard/admin-sign-in.ts';
import type { EventAddress } from './events/event-addresses.ts';
import { explainListenFailure } from './explain-start-failure.ts';
import type { Hooks } from './hooks/hooks.ts';
import { createAnswerHeaders } from './http/answer-headers.ts';
import { createHttpServer, listen } from './http/http-server.ts';
import { createLogger } from './log/logger.ts';
import { type Maintenance, startMaintenance } from './maintenance.ts';
import type { OperationTable } from './operations/operation.ts';
import { readManifest } from './read-manifest.ts';
import {
  announceReady,
  announceSignIn,
  announceWaiting,
  describeEvents,
  linkOf,
} from './start-announcement.ts';

/** Longer than a token request, whose answer must not be lost. */
const drainGraceMs = 12_000;
const healMs = 5_000;
const databaseCheckMs = 1_000;
/** `disconnect`: the parent process has ended. */
const stopSignals = ['SIGINT', 'SIGTERM', 'disconnect'];

const nobodyIsTrusted =
  'DOWEL_TRUST is not set: no platform is believed, so every event and every session is refused. Say whose events are believed, and restart.';

/** What a signal stops. */
interface Running {
  app: App;
  stopServer: () => Promise<void>;
  store: Store;
  maintenance: Maintenance;
  timers: readonly NodeJS.Timeout[];
  reportSuppressed: () => void;
}

export interface ProgramOptions {
  /** Folders of the built pages. */
  pages: { plugin: string; admin: string };
  /** What the plug-in's pages may call. Default: nothing. */
  operations?: OperationTable;
  /** Called when something has happened to the plug-in's installations. Default: none. */
  hooks?: Hooks;
  /** Called with the log as soon as there is one. */
  onLogger?: (logger: Logger) => void;
}

/**
 * Resolves when the server listens, and has announced its address.
 *
 * @throws ConfigError or StoreError with what the operator can put right.
 */
export async function runProgram({
  pages,
  operations,
  hooks,
  onLogger,
}: ProgramOptions): Promise<void> {
  const config = readConfig(process.env);
  const { logger, reportSuppressed } = createLogger({ level: config.logLevel });
  onLogger?.(logger);
  const read = await readManifest(config, logger);
  const leave = () => process.exit(0);
  for (const signal of stopSignals) process.on(signal, leave);
  const store = await openDatabase(config, logger);
  const signIn = createAdminSignIn({
    announce: (next) => announceSignIn(linkOf(config.publicUrl, next)),
  });
  const plugin = { name: '', ...read, frontend: { directory: pages.plugin }, operations, hooks };
  const dashboard = { directory: pages.admin, signIn };
  const settings = chooseAppSettings(config);
  const app = createApp({ ...settings, plugins: [plugin], dashboard, store, logger });
  const stopServer = await startServer(app, config, logger);
  const maintenance = startMaintenance({ store, historyDays: config.historyDays, logger });
  const timers = startTimers(app, logger);
  app.hooks.start();
  // The last resort: an unhandled rejection must not end all requests.
  process.on('unhandledRejection', (err) => logger.error({ err }, 'unhandled.rejection'));
  for (const signal of stopSignals) process.off(signal, leave);
  stopOnSignal({ app, stopServer, store, maintenance, timers, reportSuppressed });
  announceStart(config, { signInCode: signIn.first, addresses: read.addresses, logger });
}

function openDatabase({ keyFile, database }: Config, logger: Logger): Promise<Store> {
  return awaitDatabase(
    async () => {
      const keyring = await openServerKeyring({ keyFile, database }, (err) =>
        logger.error({ err }, 'key_file.trouble'),
      );
      return openStore({ ...database, keyring });
    },
    logger,
    announceWaiting,
  );
}

/** What the app needs of the configuration: neither the database nor the key file. */
function chooseAppSettings(config: Config) {
  const { publicUrl, trustRules, internalHosts, proxyHops, pluginIds, audience } = config;
  const { profile, eventPath, essentialScopes, notificationLimits } = config;
  return {
    publicUrl,
    trustRules,
    internalHosts,
    proxyHops,
    pluginIds,
    audience,
    profile,
    eventPath,
    essentialScopes,
    notificationLimits,
  };
}

/**
 * @returns what stops the server.
 * @throws an error that explains why the address cannot be used.
 */
async function startServer(app: App, config: Config, logger: Logger): Promise<() => Promise<void>> {
  const { publicUrl, proxyHops, connectionsPerAddress, keepAliveTimeoutMs, drainMs } = config;
  const server = createHttpServer(app.callback(), {
    limits: {
      // Behind a proxy every connection has the proxy's address.
      connectionsPerAddress: proxyHops > 0 ? Infinity : connectionsPerAddress,
      keepAliveTimeoutMs,
    },
    headers: createAnswerHeaders(publicUrl),
    logger,
  });
  const drain = createDrain(server);
  await listen(server, config.port, config.host).catch((error: NodeJS.ErrnoException) => {
    throw explainListenFailure(error, config);
  });
  return () => drain({ listenMs: drainMs, graceMs: drainGraceMs });
}

function startTimers(app: App, logger: Logger): NodeJS.Timeout[] {
  const heal = () => {
    app.heal().catch((err: unknown) => logger.error({ err }, 'healing.failed'));
  };
  return [setInterval(heal, healMs), setInterval(() => void app.checkDatabase(), databaseCheckMs)];
}

/** Further signals change nothing: the first one stops the process. */
function stopOnSignal(running: Running): void {
  let isStopping = false;
  const stopOnce = () => {
    if (isStopping) return;
    isStopping = true;
    void stop(running);
  };
  for (const signal of stopSignals) process.on(signal, stopOnce);
}

async function stop(running: Running): Promise<void> {
  const { app, stopServer, store, maintenance, timers, reportSuppressed } = running;
  for (const timer of timers) clearInterval(timer);
  app.announceStop();
  await Promise.all([maintenance.stop(), stopServer()]);
  // Not earlier: a request in flight may still wait for a token.
  await app.drain();
  await store.close();
  reportSuppressed();
  process.exit(0);
}

interface Started {
  signInCode: SignInCode;
  addresses: readonly EventAddress[];
  logger: Logger;
}

function announceStart(config: Config, { signInCode, addresses, logger }: Started): void {
  const { publicUrl, trustRules, eventPath } = config;
  const warnings = trustRules.length === 0 ? [nobodyIsTrusted] : [];
  for (const warning of warnings) logger.warn(warning);
  announceReady({
    type: 'ready',
    url: publicUrl,
    signIn: linkOf(publicUrl, signInCode),
    eventLines: describeEvents(addresses, eventPath),
    warnings,
  });
}

/** Starts the BFF. Announces its address when it is ready, or the reason for a failure in one line. */
import { openServerKeyring, openStore } from '@dowel/installation-store';
import { createAdminSignIn } from './admin-sign-in.ts';
import { createAnswerHeaders } from './answer-headers.ts';
import { awaitDatabase } from './await-database.ts';
import { readConfig } from './config.ts';
import { createApp } from './create-app.ts';
import { explainListenFailure, explainStartFailure } from './explain-start-failure.ts';
import { createHttpServer, listen, shutDown } from './http-server.ts';
import { createLogger } from './logger.ts';
import { startMaintenance } from './maintenance.ts';
import { readManifest } from './read-manifest.ts';
import {
  announceReady,
  announceSignIn,
  announceWaiting,
  describeEvents,
  linkOf,
} from './start-announcement.ts';
import { assertSafeStart, ignoreInspectorSignal, readStart } from './start-guard.ts';

/** Longer than a token request, whose answer must not be lost. */
const shutdownGraceMs = 12_000;
const healMs = 5_000;
/** `disconnect`: the parent process has ended. */
const stopSignals = ['SIGINT', 'SIGTERM', 'disconnect'];

const nobodyIsTrusted =
  'DOWEL_TRUST is not set: no platform is believed, so every event and every session is refused. Say whose events are believed, and restart.';

async function main(): Promise<void> {
  // Other users may not read this process's files, under any umask of the shell.
  process.umask(0o077);
  let tellOfSignal = () => {};
  ignoreInspectorSignal(() => tellOfSignal());
  assertSafeStart(readStart());
  const config = readConfig(process.env);
  const { logger, reportSuppressed } = createLogger({ level: config.logLevel });
  tellOfSignal = () => logger.warn('inspector.refused');
  const { manifest, manifestText, addresses } = await readManifest(config, logger);
  const { keyFile, database } = config;
  const leave = () => process.exit(0);
  for (const signal of stopSignals) process.on(signal, leave);
  const store = await awaitDatabase(
    async () => {
      const keyring = await openServerKeyring({ keyFile, database }, (err) =>
        logger.error({ err }, 'key_file.trouble'),
      );
      return openStore({ ...database, keyring });
    },
    logger,
    announceWaiting,
  );
  const signIn = createAdminSignIn({
    announce: (next) => announceSignIn(linkOf(config.publicUrl, next)),
  });
  const { publicUrl, trustRules, internalHosts, proxyHops, pluginIds, audience } = config;
  const { profile, eventPath, essentialScopes } = config;
  const app = createApp({
    store,
    manifest,
    manifestText,
    trustRules,
    publicUrl,
    internalHosts,
    proxyHops,
    pluginIds,
    audience,
    profile,
    eventPath,
    essentialScopes,
    signIn,
    logger,
  });
  const server = createHttpServer(app.callback(), {
    // Behind a proxy every connection has the proxy's address.
    limits: { connectionsPerAddress: proxyHops > 0 ? Infinity : config.connectionsPerAddress },
    headers: createAnswerHeaders(publicUrl),
    logger,
  });
  await listen(server, config.port, config.host).catch((error: NodeJS.ErrnoException) => {
    throw explainListenFailure(error, config);
  });

  const maintenance = startMaintenance({ store, historyDays: config.historyDays, logger });
  const healing = setInterval(() => {
    app.heal().catch((err: unknown) => logger.error({ err }, 'healing.failed'));
  }, healMs);
  // The last resort: an unhandled rejection must not end all requests.
  process.on('unhandledRejection', (err) => logger.error({ err }, 'unhandled.rejection'));
  let stopping = false;
  async function stop(): Promise<void> {
    if (stopping) return;
    stopping = true;
    clearInterval(healing);
    app.endStreams();
    await Promise.all([maintenance.stop(), shutDown(server, shutdownGraceMs)]);
    // Not earlier: a request in flight may still wait for a token.
    await app.drain();
    await store.close();
    reportSuppressed();
    process.exit(0);
  }
  for (const signal of stopSignals) {
    process.off(signal, leave);
    process.on(signal, () => void stop());
  }

  const warnings = trustRules.length === 0 ? [nobodyIsTrusted] : [];
  for (const warning of warnings) logger.warn(warning);
  announceReady({
    type: 'ready',
    url: publicUrl,
    signIn: linkOf(publicUrl, signIn.first),
    eventLines: describeEvents(addresses, eventPath),
    warnings,
  });
}

main().catch((error: unknown) => {
  process.stderr.write(`${explainStartFailure(error)}\n`);
  process.exit(1);
});

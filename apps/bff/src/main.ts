/** Starts the BFF; says where it is when it is ready, and in one line why when it cannot. */
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { openServerKeyring, openStore, StoreError } from '@dowel/installation-store';
import {
  type Manifest,
  type ManifestProblem,
  type ManifestWarning,
  parseManifest,
} from '@dowel/schema';
import { type Logger, pino } from 'pino';
import { createAdminSignIn } from './admin-sign-in.ts';
import { awaitDatabase } from './await-database.ts';
import { ConfigError, readConfig } from './config.ts';
import { createApp } from './create-app.ts';
import { createHttpServer, listen, shutDown } from './http-server.ts';
import { startMaintenance } from './maintenance.ts';

/** Longer than a token request takes: its answer must not be lost. */
const shutdownGraceMs = 12_000;
const healMs = 5_000;
/** The last one is the parent's, when it is gone. */
const stopSignals = ['SIGINT', 'SIGTERM', 'disconnect'];

async function main(): Promise<void> {
  // What this process makes, others may not read, whatever the shell's umask says.
  process.umask(0o077);
  const config = readConfig(process.env);
  const logger = pino({ level: config.logLevel, base: { app: 'bff' } });
  const { manifest, manifestText } = await readManifest(config, logger);
  const { keyFile, database } = config;
  const leave = () => process.exit(0);
  for (const signal of stopSignals) process.on(signal, leave);
  const store = await awaitDatabase(async () => {
    const keyring = await openServerKeyring({ keyFile, database }, (err) =>
      logger.error({ err }, 'key_file.trouble'),
    );
    return openStore({ ...database, keyring });
  }, logger);
  const signIn = createAdminSignIn();
  const { publicUrl, trustRules, internalHosts, proxyHops } = config;
  const app = createApp({
    store,
    manifest,
    manifestText,
    trustRules,
    publicUrl,
    internalHosts,
    proxyHops,
    signIn,
    logger,
  });
  const server = createHttpServer(app.callback());
  await listen(server, config.port, config.host);

  const maintenance = startMaintenance({ store, historyDays: config.historyDays, logger });
  const healing = setInterval(() => {
    app.heal().catch((err: unknown) => logger.error({ err }, 'healing.failed'));
  }, healMs);
  // The last resort: a forgotten rejection ends its own request, not everybody's.
  process.on('unhandledRejection', (err) => logger.error({ err }, 'unhandled.rejection'));
  let stopping = false;
  async function stop(): Promise<void> {
    if (stopping) return;
    stopping = true;
    clearInterval(healing);
    app.endStreams();
    await Promise.all([maintenance.stop(), shutDown(server, shutdownGraceMs)]);
    // Not before: a request in flight may still need a token that nobody has yet.
    await app.drain();
    await store.close();
    process.exit(0);
  }
  for (const signal of stopSignals) {
    process.off(signal, leave);
    process.on(signal, () => void stop());
  }

  const signInUrl = `${publicUrl}/admin/sign-in#code=${signIn.code}`;
  if (process.send) process.send({ type: 'ready', url: publicUrl, signInUrl });
  else process.stdout.write(`Dowel is at ${publicUrl}\nSign in once at ${signInUrl}\n`);
}

/** A field's name may hold a line break, or a command to the terminal. */
const unprintable = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** One line for each problem, with the place as terminals make it a link; warnings go to the log. */
async function readManifest(
  { manifestPath, publicUrl }: ReturnType<typeof readConfig>,
  logger: Logger,
): Promise<{ manifest: Manifest; manifestText: string }> {
  const manifestText = await readFile(manifestPath, 'utf8').catch((cause: Error) => {
    throw new ConfigError(`DOWEL_MANIFEST: ${manifestPath} cannot be read: ${cause.message}`);
  });
  const path = relative(process.cwd(), manifestPath);
  const describe = ({ line, column, pointer, message, fix }: ManifestProblem | ManifestWarning) =>
    `${path}:${line}:${column} ${pointer} ${message} — ${fix}`.replace(unprintable, '\uFFFD');
  const parsed = parseManifest(manifestText, `${publicUrl}/manifest.json`);
  for (const warning of parsed.warnings) {
    logger.warn({ code: warning.code }, `manifest.warning ${describe(warning)}`);
  }
  if (!parsed.ok) throw new ConfigError(parsed.problems.map(describe).join('\n'));
  return { manifestText, manifest: parsed.manifest };
}

function explain(error: unknown): string {
  if (error instanceof ConfigError || error instanceof StoreError) return error.message;
  const { code, port, message, path } = error as NodeJS.ErrnoException & { port?: number };
  if (code === 'EADDRINUSE') {
    return `Port ${port} is in use: stop the program that uses it, or set DOWEL_PORT to another port.`;
  }
  if (code === 'EACCES') {
    return `Permission denied for ${path ?? `port ${port}`}: choose another with DOWEL_DATA_DIR or DOWEL_PORT.`;
  }
  return message;
}

main().catch((error: unknown) => {
  process.stderr.write(`${explain(error)}\n`);
  process.exit(1);
});

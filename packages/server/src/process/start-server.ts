/** Opens the server and listens, until a signal ends the process. */
import { createDrain } from '@dowel/http';
import { describeRules } from '@dowel/platform-jwt';
import { createAnswerHeaders } from '../http/answer-headers.ts';
import { createHttpServer, listen } from '../http/http-server.ts';
import type { StartedServer } from '../server-options.ts';
import { type Configuration, readConfiguration } from '../settings/read-configuration.ts';
import { closeServer } from './close-server.ts';
import { explainListenFailure } from './explain-listen-failure.ts';
import { openServer } from './open-server.ts';
import { ServerClosedError } from './server-closed-error.ts';
import { createCallback, type ServerContext } from './server-context.ts';

/** `disconnect`: the parent process has ended. */
const stopSignals = ['SIGINT', 'SIGTERM', 'disconnect'];

const nobodyIsTrusted =
  'DOWEL_TRUST, or the option trust, is not set: no platform is believed, so every event and every session is refused. Say whose events are believed, and restart.';

/** The signals count from before `open`, which may wait for a database. A failure closes the server. */
export async function startServer(context: ServerContext): Promise<StartedServer> {
  if (context.closing) throw new ServerClosedError();
  assertPortIsKnown(context);
  // The log has a failure.
  const stop = () => void closeServer(context).catch(() => undefined);
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
  const planned = readConfiguration(context.options);
  const freePort = planned.port === 0 ? await listenAt(context, planned) : undefined;
  if (freePort !== undefined && isDefaultUrl(planned)) {
    context.options = { ...context.options, publicUrl: `http://localhost:${freePort}` };
  }
  await openServer(context);
  const { opened } = context;
  if (!opened) throw new ServerClosedError();
  const { configuration, plugins } = opened;
  const port = freePort ?? (await listenAt(context, configuration));
  const warnings = configuration.trust.length === 0 ? [nobodyIsTrusted] : [];
  for (const warning of warnings) context.log.warn(warning);
  context.log.info({ port }, 'server.ready');
  return {
    url: configuration.publicUrl,
    port,
    events: plugins.flatMap(({ addresses }) => addresses),
    trust: describeRules(configuration.trust),
    warnings,
  };
}

/** @throws TypeError: what is open has a public URL without its port, and gave it to everything it serves. */
function assertPortIsKnown({ opening, options }: ServerContext): void {
  if (!opening) return;
  const planned = readConfiguration(options);
  if (planned.port !== 0 || !isDefaultUrl(planned)) return;
  throw new TypeError(
    'open() came before start(), when the free port was not known, so the public URL has port 0. Leave out open(): start() does it. Or set publicUrl (DOWEL_PUBLIC_URL) or another port (DOWEL_PORT).',
  );
}

/** Nobody can mean port 0 of a public URL. */
function isDefaultUrl({ publicUrl }: Configuration): boolean {
  return new URL(publicUrl).port === '0';
}

/** @returns the port. @throws ConfigError when the address cannot be used; ServerClosedError. */
async function listenAt(context: ServerContext, configuration: Configuration): Promise<number> {
  const { publicUrl, proxyHops, host, port, limits } = configuration;
  const server = createHttpServer(createCallback(context), {
    limits: {
      maxConnections: limits.connections,
      // Behind a proxy every connection has the proxy's address.
      connectionsPerAddress: proxyHops > 0 ? Infinity : limits.connectionsPerAddress,
      keepAliveTimeoutMs: limits.keepAliveTimeoutMs,
    },
    headers: createAnswerHeaders(publicUrl),
    logger: context.log,
  });
  const drain = createDrain(server);
  const actual = await listen(server, port, host).catch((error: NodeJS.ErrnoException) => {
    throw explainListenFailure(error, configuration);
  });
  context.port = actual;
  const stopListening = () =>
    drain({ listenMs: limits.listenAfterCloseMs, graceMs: limits.stopGraceMs });
  if (context.closing) {
    // `close` came meanwhile, and has not seen this listener.
    await stopListening();
    throw new ServerClosedError();
  }
  context.stopListening = stopListening;
  return actual;
}

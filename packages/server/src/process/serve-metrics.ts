/** The listener for Prometheus, at a port of its own. It ends last, so that a stop can be seen. */
import { createDrain } from '@dowel/http';
import { readOwnVersion } from '../base/own-version.ts';
import { createHttpServer, listen } from '../http/http-server.ts';
import { answer } from '../http/raw-answer.ts';
import type { Log } from '../log/log.ts';
import type { Metrics } from '../metrics/create-metrics.ts';
import type { Configuration } from '../settings/read-configuration.ts';
import { explainListenFailure } from './explain-listen-failure.ts';

export interface MetricsServer {
  metrics: Metrics;
  stop(): Promise<void>;
}

const drainTimes = { listenMs: 0, graceMs: 1_000 };

/**
 * Listens for scrapes. The library is loaded here.
 *
 * @returns undefined without a port. @throws ConfigError when the address cannot be used.
 */
export async function serveMetrics(
  { metrics: { host, port } }: Pick<Configuration, 'metrics'>,
  log: Log,
): Promise<MetricsServer | undefined> {
  if (port === undefined) return undefined;
  const { createMetrics } = await import('../metrics/create-metrics.ts');
  const metrics = createMetrics(readOwnVersion() || 'unknown');
  const { registry, loopDelay } = metrics;
  const headers = { 'Cache-Control': 'no-store' };
  const server = createHttpServer(
    async (request, response) => {
      const isScrape = request.method === 'GET' && /^\/metrics(?:\?|$)/.test(request.url ?? '');
      if (!isScrape) return answer(response, 404, headers);
      try {
        const text = await registry.metrics();
        response.writeHead(200, { ...headers, 'Content-Type': registry.contentType }).end(text);
      } catch (err) {
        log.error({ err }, 'metrics.failed');
        answer(response, 500, headers);
      }
    },
    { headers, logger: log },
  );
  const drain = createDrain(server);
  const stop = async () => {
    loopDelay.disable();
    await drain(drainTimes);
  };
  const actual = await listen(server, port, host).catch((error: NodeJS.ErrnoException) => {
    loopDelay.disable();
    throw explainListenFailure(error, { host, port }, 'metrics');
  });
  log.info({ host, port: actual }, 'metrics.listening');
  return { metrics, stop };
}

/** One HTTP server for the platform and its pages. */
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createPlatform, type Snapshot } from '@dowel/emulator';
import { checkTarget } from '@dowel/http';
import type { Configuration } from './configuration.ts';
import { createWebApp } from './serve-web.ts';
import { assertSavable, createStateSaver, readStateFile } from './state-file.ts';

export interface EmulatorOptions {
  port: number;
  host: string;
  /** Folder of the built pages. */
  webRoot: string;
  /** URL of the manifest that the pages suggest for installation. */
  sampleManifestUrl: string;
  /** File to continue from and to save to. Default: the state is in memory only. */
  statePath?: string | undefined;
  onError: (error: unknown) => void;
  /** Format of an event's request. Default: the platform's own. */
  eventFormat?: 'form' | 'json';
  /** The form of `src`. Default: the platform's own. */
  src?: Configuration['src'];
  /** Length of the signing key in bits. Default: the platform's own. */
  keyBits?: number;
}

export interface RunningEmulator {
  readonly url: string;
  /** Ends event streams and connections at once, and saves unsaved changes. */
  close(): Promise<void>;
}

/** @throws StateFileError; the errors of `listen`: EADDRINUSE, EACCES, ENOTFOUND. Then nothing listens. */
export async function startServer(options: EmulatorOptions): Promise<RunningEmulator> {
  const { port, host, ...served } = options;
  const { statePath } = served;
  // Without the port, if it is 80.
  const { origin: url } = new URL(`http://localhost:${port}`);
  const snapshot = statePath === undefined ? undefined : await readStateFile(statePath, url);
  if (statePath !== undefined) await assertSavable(statePath);
  const server = createServer();
  await listen(server, port, host);
  try {
    return serve(server, { ...served, url, snapshot });
  } catch (error) {
    server.close();
    throw error;
  }
}

type ServeOptions = Omit<EmulatorOptions, 'port' | 'host'> & {
  url: string;
  snapshot: Snapshot | undefined;
};

function serve(
  server: Server,
  { url, webRoot, sampleManifestUrl, statePath, snapshot, ...platformOptions }: ServeOptions,
): RunningEmulator {
  const platform = createPlatform({
    origin: url,
    ...platformOptions,
    snapshot,
    onStateChange: () => saver?.schedule(),
  });
  const saver =
    statePath === undefined
      ? undefined
      : createStateSaver({
          path: statePath,
          snapshot: platform.snapshot,
          onError: platformOptions.onError,
        });
  const webApp = createWebApp({ root: webRoot, origin: url, sampleManifestUrl });
  server.on('request', route(platform.callback(), webApp.callback()));
  return {
    url,
    async close() {
      platform.close();
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
      await saver?.close();
    },
  };
}

/** Paths of the platform are never answered with a page. */
function route(platform: RequestListener, web: RequestListener): RequestListener {
  return (request, response) => {
    const problem = checkTarget(request);
    if (problem) return refuse(response, problem.message);
    const isPlatform = /^\/(?:control|t|certificates)(?:[/?]|$)/.test(request.url ?? '');
    (isPlatform ? platform : web)(request, response);
  };
}

function refuse(response: ServerResponse, message: string): void {
  const body = JSON.stringify({ code: 'INVALID_REQUEST', message });
  const headers = { 'Content-Type': 'application/json', Connection: 'close' };
  response.writeHead(400, { ...headers, 'Content-Length': Buffer.byteLength(body) }).end(body);
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

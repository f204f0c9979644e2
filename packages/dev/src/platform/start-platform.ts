/** One HTTP server for the emulated platform and its pages. */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import {
  createPlatform,
  type Platform,
  type PlatformOptions,
  type Snapshot,
} from '@dowel/emulator';
import { checkTarget } from '@dowel/http';
import { examinationRoutes } from '../examination/examination-routes.ts';
import { createExaminations } from '../examination/examinations.ts';
import { createWebApp } from './serve-web.ts';
import { assertSavable, createStateSaver, readStateFile } from './state-file.ts';

/** A pooled connection must not meet a closing socket. Node's default is 5 s. */
const keepAliveMs = 120_000;
const builtPages = fileURLToPath(new URL('../../dist/', import.meta.url));

export interface StartPlatformOptions {
  /** 0: any free one, without `statePath`. */
  port: number;
  /** Interface to listen on; the URL always says `localhost`. Default `localhost`. */
  host?: string;
  /** File to continue from and to save to. Default: the state is in memory only. */
  statePath?: string | undefined;
  /** URL of the manifest that the pages suggest for installation. */
  sampleManifestUrl: string;
  onError: (error: unknown) => void;
  /** Called with each request to a tenant at a path that the platform does not have, such as `POST /t/acmeapi/oauth/token`. */
  onStray?: (request: string) => void;
  /** How the platform behaves. Default: as `createPlatform` says. */
  platform?: Partial<Omit<PlatformOptions, 'origin' | 'snapshot' | 'onError' | 'routes'>>;
  /** Folder of the built pages. Default: those of this package. */
  webRoot?: string;
}

export interface RunningPlatform {
  readonly url: string;
  readonly platform: Platform;
  /** Ends event streams and connections at once, and saves unsaved changes. */
  close(): Promise<void>;
}

/**
 * Starts the emulated platform with its pages.
 *
 * @throws StateFileError; the errors of `listen`: EADDRINUSE, EACCES, ENOTFOUND. Then nothing listens.
 *
 * @example
 * const running = await startPlatform({ port, sampleManifestUrl, onError });
 */
export async function startPlatform(options: StartPlatformOptions): Promise<RunningPlatform> {
  const { port, host = 'localhost', statePath } = options;
  const snapshot =
    statePath === undefined ? undefined : await readStateFile(statePath, originAt(port));
  if (statePath !== undefined) await assertSavable(statePath);
  const server = createServer({ keepAliveTimeout: keepAliveMs });
  await once(server.listen(port, host), 'listening');
  try {
    const url = originAt((server.address() as AddressInfo).port);
    return serve(server, { ...options, url, snapshot });
  } catch (error) {
    server.close();
    throw error;
  }
}

/** Without the port, if it is 80. */
function originAt(port: number): string {
  return new URL(`http://localhost:${port}`).origin;
}

type ServeOptions = StartPlatformOptions & { url: string; snapshot: Snapshot | undefined };

function serve(
  server: Server,
  {
    url,
    webRoot = builtPages,
    sampleManifestUrl,
    statePath,
    snapshot,
    onError,
    onStray,
    ...rest
  }: ServeOptions,
): RunningPlatform {
  const examinations = createExaminations({
    origin: url,
    onError,
    ...(rest.platform?.keyBits !== undefined && { keyBits: rest.platform.keyBits }),
  });
  const platform: Platform = createPlatform({
    ...rest.platform,
    origin: url,
    routes: examinationRoutes(examinations, () => platform),
    onError,
    snapshot,
    onStateChange() {
      saver?.schedule();
      rest.platform?.onStateChange?.();
    },
  });
  const saver =
    statePath === undefined
      ? undefined
      : createStateSaver({ path: statePath, snapshot: platform.snapshot, onError });
  const webApp = createWebApp({ root: webRoot, origin: url, sampleManifestUrl });
  const answer = route(platform.callback(), webApp.callback());
  server.on('request', (request, response) => {
    if (examinations.answer(request, response)) return;
    // Without its query, which may have a code.
    const [path = ''] = (request.url ?? '').split('?');
    response.once('finish', () => {
      const isStray = response.statusCode === 404 && isOutsideApi(path, platform);
      if (isStray) onStray?.(`${request.method} ${path}`);
    });
    answer(request, response);
  });
  return {
    url,
    platform,
    async close() {
      await examinations.close();
      platform.close();
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
      await saver?.close();
    },
  };
}

/** Each request to a tenant's API is an exchange, whatever the answer. */
function isOutsideApi(path: string, { tenants }: Platform): boolean {
  const apis = tenants.map(({ baseUrl }) => `${new URL(baseUrl).pathname}/api/`);
  return path.startsWith('/t/') && !apis.some((api) => `${path}/`.startsWith(api));
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

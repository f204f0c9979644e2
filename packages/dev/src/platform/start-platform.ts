/** One HTTP server for the emulated platform and its pages. */
import { randomBytes } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { fileURLToPath } from 'node:url';
import {
  createPlatform,
  type Platform,
  type PlatformOptions,
  type Snapshot,
} from '@dowel/emulator';
import { checkTarget } from '@dowel/http';
import { createWebApp } from './serve-web.ts';
import { assertSavable, createStateSaver, readStateFile } from './state-file.ts';

const builtPages = fileURLToPath(new URL('../../dist/', import.meta.url));

export interface StartPlatformOptions {
  port: number;
  /** Interface to listen on; the URL always says `localhost`. Default `localhost`. */
  host?: string;
  /** File to continue from and to save to. Default: the state is in memory only. */
  statePath?: string | undefined;
  /** URL of the manifest that the pages suggest for installation. */
  sampleManifestUrl: string;
  onError: (error: unknown) => void;
  /** How the platform behaves. Default: as `createPlatform` says. */
  platform?: Partial<Omit<PlatformOptions, 'origin' | 'snapshot' | 'onError'>>;
  /** Folder of the built pages. Default: those of this package. */
  webRoot?: string;
}

export interface RunningPlatform {
  readonly url: string;
  readonly platform: Platform;
  /**
   * Returns a link that signs its reader in as this user once, and then shows the path, by default the home page.
   *
   * @throws PlatformError `USER_NOT_FOUND`
   */
  signInUrl(userId: string, path?: string): string;
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
  // Without the port, if it is 80.
  const { origin: url } = new URL(`http://localhost:${port}`);
  const snapshot = statePath === undefined ? undefined : await readStateFile(statePath, url);
  if (statePath !== undefined) await assertSavable(statePath);
  const server = createServer();
  await listen(server, port, host);
  try {
    return serve(server, { ...options, url, snapshot });
  } catch (error) {
    server.close();
    throw error;
  }
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
    ...rest
  }: ServeOptions,
): RunningPlatform {
  const platform = createPlatform({
    ...rest.platform,
    origin: url,
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
  const links: SignInLinks = new Map();
  const signIn = (request: IncomingMessage, response: ServerResponse) =>
    void followSignInLink({ url, links }, request, response);
  server.on('request', route({ platform: platform.callback(), web: webApp.callback(), signIn }));
  return {
    url,
    platform,
    signInUrl(userId, path = '/') {
      platform.findUser(userId);
      const key = randomBytes(16).toString('base64url');
      links.set(key, { userId, path });
      return `${url}${signInPath}${key}`;
    },
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
function route(answerers: Record<'platform' | 'web' | 'signIn', RequestListener>): RequestListener {
  return (request, response) => {
    const problem = checkTarget(request);
    if (problem) return refuse(response, problem.message);
    const { url = '' } = request;
    if (url.startsWith(signInPath)) return answerers.signIn(request, response);
    const isPlatform = /^\/(?:control|t|certificates)(?:[/?]|$)/.test(url);
    answerers[isPlatform ? 'platform' : 'web'](request, response);
  };
}

const signInPath = '/sign-in/';
type SignInLinks = Map<string, { userId: string; path: string }>;

/** Signs in as the pages do. A link that was used, or that nobody made, leads to the home page. */
async function followSignInLink(
  { url, links }: { url: string; links: SignInLinks },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const key = request.url?.slice(signInPath.length) ?? '';
  const link = request.method === 'GET' ? links.get(key) : undefined;
  links.delete(key);
  const headers: Record<string, string | string[]> = { 'Cache-Control': 'no-store' };
  if (link) {
    const signedIn = await fetch(`${url}/control/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ userId: link.userId }),
    });
    headers['Set-Cookie'] = signedIn.headers.getSetCookie();
  }
  response.writeHead(303, { ...headers, Location: link?.path ?? '/' }).end();
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

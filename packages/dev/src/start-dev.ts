/** `dowel dev`: the emulated platform, the author's back end, and the page with hot updates, at one address. */
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import type { Platform } from '@dowel/emulator';
import { createBackEnd } from './back-end/back-end.ts';
import { readBackEndEnvironment } from './back-end/environment.ts';
import { type BackEndCommand, findCommand } from './back-end/find-command.ts';
import { DevError } from './dev-error.ts';
import { type DevLine, type Say, sayTo } from './dev-line.ts';
import { type DevAction, followChanges } from './follow-changes.ts';
import { findVite } from './front/find-vite.ts';
import { openFront } from './front/front.ts';
import { openPage } from './front/page.ts';
import { createInstaller } from './installation/installer.ts';
import { sayExchange } from './installation/say-exchange.ts';
import { startPlatform } from './platform/start-platform.ts';
import { openStateFolder, type StateFolder } from './state-folder.ts';

export interface StartDevOptions {
  /** The author's folder. */
  root: string;
  /** The program of the back end with its arguments. Default: what `server` says. */
  command?: readonly string[] | undefined;
  /** The file of the back end, for Node. Default: `server/main.ts`, `server.ts`, `src/server.ts`, or the script `start`. */
  server?: string | undefined;
  /** The port of the plug-in. Default 4310; 0: any free one. */
  port?: number | undefined;
  /** The port of the emulated platform. Default 4300. */
  platformPort?: number | undefined;
  /** Whether to forget what was kept. Default `false`. */
  fresh?: boolean | undefined;
  /** Ends everything. */
  signal: AbortSignal;
  /** Receives what happens. */
  say: (line: DevLine) => void;
}

export interface RunningDev {
  /** The public URL of the plug-in. */
  url: string;
  platformUrl: string;
  /** Returns a link for a browser, which signs in once. Each call gives it for the next user of the tenant. */
  signInUrl(): string;
  act(action: DevAction): void;
  /** Resolves with the exit code when everything has ended. */
  done: Promise<number>;
}

/** Ends a part that is open, or is being opened. */
type Closer = () => Promise<unknown>;

/**
 * Starts the emulated platform, the author's back end as a child process, and Vite, installs the plug-in, and follows
 * changes of files until the signal is aborted.
 *
 * @throws DevError with one line for each problem. Then nothing runs any more.
 */
export async function startDev(options: StartDevOptions): Promise<RunningDev> {
  const { signal } = options;
  const root = resolve(options.root);
  const command = findCommand(root, options);
  const folder = await openStateFolder(root, { fresh: options.fresh ?? false });
  const closers: Closer[] = [];
  const closeParts = () => Promise.allSettled(closers.splice(0).map((each) => each()));
  const aborted = signal.aborted ? Promise.resolve() : once(signal, 'abort');
  const endedEarly = aborted.then((): never => {
    throw new DevError('It was ended during the start.');
  });
  endedEarly.catch(() => {});
  const opened = open(options, { root, command, folder, closers });
  try {
    const running = await Promise.race([opened, endedEarly]);
    return {
      ...running,
      done: aborted
        .then(closeParts)
        .then(folder.release)
        .then(() => 0),
    };
  } catch (error) {
    await closeParts();
    // Meanwhile it may have opened another part.
    await opened.catch(() => {});
    await closeParts();
    await folder.release();
    throw error instanceof DevError
      ? error
      : new DevError(describeFailure(error), { cause: error });
  }
}

function describeFailure(error: unknown): string {
  const { code, port, message } = error as NodeJS.ErrnoException & { port?: number };
  if (code !== 'EADDRINUSE') return message;
  return `Port ${port} is in use. Choose another one for the platform: dowel dev --platform-port PORT.`;
}

interface Opening {
  root: string;
  command: BackEndCommand;
  folder: StateFolder;
  closers: Closer[];
}

/** Opens all parts at once. */
async function open(
  { port = 4310, platformPort = 4300, signal, ...options }: StartDevOptions,
  { root, command, folder, closers }: Opening,
): Promise<Omit<RunningDev, 'done'>> {
  const say = sayTo(options.say);
  const front = await openFront(port);
  closers.push(front.close);
  const { url, server } = front;
  const platformUrl = new URL(`http://localhost:${platformPort}`).origin;
  const vite = findOwnVite(root, say);
  const addresses = { url, platformUrl, dataPath: folder.dataPath, hasVite: vite !== undefined };
  const environment = (ownPort: number) =>
    readBackEndEnvironment(root, { ...addresses, port: ownPort });
  const { DOWEL_MANIFEST = 'manifest.json' } = environment(port);
  const backEnd = createBackEnd({ root, command, environment, say, onEnd: sayEnd(say) });
  const page = Promise.resolve(
    vite && openPage({ root, vite, server, url, platformUrl, key: folder.pageKey, say }),
  );
  const platform = startPlatform({
    port: platformPort,
    statePath: folder.statePath(platformPort),
    sampleManifestUrl: `${url}/manifest.json`,
    onError: (error) => say('platform', String(error), { level: 'error' }),
    onStray: (request) => say('platform', `${request} → 404 Nothing is there`, { level: 'error' }),
    platform: { onExchange: (exchange) => sayExchange(say, exchange) },
  });
  closers.push(
    backEnd.close,
    async () => (await page)?.close(),
    async () => (await platform).close(),
  );
  front.answerWith({ backEnd, page });
  const [running, openedPage] = await Promise.all([platform, page, backEnd.restart()]);
  signal.throwIfAborted();
  const manifest = { path: join(root, DOWEL_MANIFEST), url: `${url}/manifest.json` };
  const installer = createInstaller({ platform: running.platform, manifestUrl: manifest.url, say });
  const act = await followChanges({
    root,
    signal,
    say,
    backEnd,
    installer,
    manifest,
    page: openedPage,
    closers,
  });
  await folder.publish({ platformUrl, manifestUrl: manifest.url });
  return { url, platformUrl, act, signInUrl: createLinks(running.platform) };
}

/** The author's Vite, if the folder has a page for it. */
function findOwnVite(root: string, say: Say) {
  const found = findVite(root);
  if (found !== 'missing') return found;
  say('page', noVite, { level: 'warn' });
  return undefined;
}

const noVite =
  'The folder has a page for Vite, which is not installed, so the back end serves the page: npm install -D vite';

function sayEnd(say: Say): (how: string) => void {
  return (how) => say('server', `${how} The next change starts it again.`, { level: 'error' });
}

/** Each call is for the next user of the first tenant. */
function createLinks(platform: Platform): () => string {
  const users = platform.tenants[0]?.users ?? [];
  let count = 0;
  return () => {
    const user = users[count % users.length];
    count += 1;
    return platform.signInUrl(user?.userId ?? '');
  };
}

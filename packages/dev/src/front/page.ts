/**
 * The author's page, served by Vite for the platform's frame. Its origin there is `null`, so its modules must be readable
 * for that origin, which every website's sandboxed frame has: they are below an address with a secret key. See
 * docs/decisions/0047-development-front.md.
 */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { plain } from '@dowel/conformance';
import type { pagePolicy as PagePolicy } from '@dowel/server';
import { send } from '@koa/send';
import Koa, { type Context } from 'koa';
import type * as Vite from 'vite';
import { DevError } from '../dev-error.ts';
import type { Say } from '../dev-line.ts';
import { compareInlineScripts } from './inline-scripts.ts';

export interface PageOptions {
  /** The author's folder. */
  root: string;
  /** The URL of the author's Vite. */
  vite: URL;
  /** It carries the websocket of hot updates. */
  server: Server;
  /** The public URL of the plug-in. */
  url: string;
  platformUrl: string;
  /** A secret of this folder. */
  key: string;
  say: Say;
}

export interface Page {
  /** Undefined: the request is not for the page. */
  listenerOf(request: IncomingMessage): RequestListener | undefined;
  /** Whether the page in the browser has loaded this file, so that Vite updates it. */
  hasLoaded(path: string): boolean;
  close(): Promise<void>;
}

interface PageContext extends PageOptions {
  /** Everything that Vite answers is below it. */
  base: string;
  dev: Vite.ViteDevServer;
  pagePolicy: typeof PagePolicy;
}

/** Vite writes it where a nonce belongs. Each answer has another nonce. */
const noncePlace = 'dowel-nonce-of-this-answer';

/**
 * Starts Vite with the author's configuration.
 *
 * @throws DevError when Vite cannot start
 */
export async function openPage(options: PageOptions): Promise<Page> {
  const base = `/plugin/@${options.key}/`;
  const [vite, { pagePolicy }] = await Promise.all([
    import(options.vite.href) as Promise<typeof Vite>,
    import('@dowel/server'),
  ]);
  const configuration = configure(options, { base, version: vite.version });
  const dev = await vite.createServer(configuration).catch((cause: Error) => {
    throw new DevError(`Vite cannot start in ${options.root}: ${plain(cause.message)}`, { cause });
  });
  const sendOwn = createOwnFiles({ ...options, base, dev, pagePolicy }).callback();
  return {
    listenerOf({ url = '', method = '' }) {
      if (url.startsWith(base)) return (request, response) => answerByVite(dev, request, response);
      const isOwn = url.startsWith('/plugin/') && !/^\/plugin\/config\.json(?:\?|$)/.test(url);
      return isOwn && ['GET', 'HEAD'].includes(method) ? sendOwn : undefined;
    },
    // A changed configuration gives Vite other environments.
    hasLoaded: (path) => Boolean(dev.environments.client.moduleGraph.getModulesByFile(path)?.size),
    close: () => dev.close(),
  };
}

function configure(
  { root, server, say }: PageOptions,
  { base, version }: { base: string; version: string },
): Vite.InlineConfig {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const hasOwnOption = major > 8 || (major === 8 && minor >= 3);
  return {
    root,
    base,
    appType: 'custom',
    customLogger: createLogger(say),
    html: { cspNonce: noncePlace },
    plugins: [{ name: 'dowel-dev', transformIndexHtml: () => [withoutSharedWorker] }],
    server: {
      middlewareMode: true,
      cors: { origin: 'null' },
      watch: { ignored: ['**/.dowel/**'] },
      ...(hasOwnOption ? { ws: { server } } : { hmr: { server } }),
    },
  };
}

/**
 * Vite's client waits for a restarted server in a shared worker, which a page without an origin cannot have. Where there are
 * none, it waits in the page.
 */
const withoutSharedWorker: Vite.HtmlTagDescriptor = {
  tag: 'script',
  children: 'delete globalThis.SharedWorker',
  injectTo: 'head-prepend',
};

function createLogger(say: Say): Vite.Logger {
  const warned = new Set<string>();
  const logger: Vite.Logger = {
    hasWarned: false,
    info: (text) => say('page', text),
    warn(text) {
      logger.hasWarned = true;
      say('page', text, { level: 'warn' });
    },
    warnOnce(text) {
      if (!warned.has(text)) logger.warn(text);
      warned.add(text);
    },
    error: (text) => say('page', text, { level: 'error' }),
    clearScreen: () => {},
    hasErrorLogged: () => false,
  };
  return logger;
}

function answerByVite(
  dev: Vite.ViteDevServer,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (isInStateFolder(request.url)) return void response.writeHead(404).end();
  dev.middlewares(request, response, (error?: Error) => {
    const status = error ? 500 : 404;
    response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' });
    response.end(error?.message ?? 'There is no such file\n');
  });
}

/** It has keys and tokens, which no script of the page may read. Vite's own list of such files can only be replaced. */
export function isInStateFolder(url = ''): boolean {
  try {
    return /[/\\]\.dowel(?:[/\\?#]|$)/i.test(decodeURIComponent(url));
  } catch {
    return true;
  }
}

/** The page itself and the files of `public`. No other website may read them: the page contains the secret key. */
function createOwnFiles(context: PageContext): Koa {
  const { dev, url, say } = context;
  const { host } = new URL(url);
  const app = new Koa();
  app.silent = true;
  app.use(async (ctx) => {
    ctx.set({ 'Cache-Control': 'no-cache', 'X-Content-Type-Options': 'nosniff' });
    const path = ctx.path.slice('/plugin/'.length);
    if (/\.[^/]*$/.test(path)) return sendPublic(ctx, dev.config.publicDir, path);
    // Another name of this machine may belong to a website.
    if (ctx.host !== host) return ctx.redirect(`${url}${ctx.url}`);
    try {
      await sendPage(ctx, context);
    } catch (error) {
      say('page', (error as Error).message, { level: 'error' });
      ctx.status = 500;
      ctx.body = `${(error as Error).message}\n`;
    }
  });
  return app;
}

async function sendPublic(ctx: Context, root: string, path: string): Promise<void> {
  const options = { root, brotli: false, gzip: false };
  // The answer stays 404 for a file that is not there.
  if (root) await send(ctx as Parameters<typeof send>[0], path, options).catch(() => {});
}

async function sendPage(ctx: Context, { dev, url, platformUrl, pagePolicy, say }: PageContext) {
  const own = await readFile(join(dev.config.root, 'index.html'), 'utf8');
  const html = await dev.transformIndexHtml('/index.html', own);
  const { added, hasOwn } = compareInlineScripts(own, html);
  if (hasOwn) say('page', inlineAdvice, { level: 'error' });
  const nonce = randomBytes(16).toString('base64');
  ctx.set({
    'Content-Security-Policy': pagePolicy({
      origin: url,
      keyOrigins: [platformUrl],
      frameAncestors: [platformUrl],
      scriptHashes: added,
      styleNonce: nonce,
      connect: [url.replace(/^http/, 'ws')],
    }),
    'Referrer-Policy': 'no-referrer',
  });
  ctx.type = 'html';
  // A script with the nonce would run here, and not in production.
  ctx.body = html
    .replaceAll(/(<script\b[^>]*?) nonce="dowel-nonce-of-this-answer"/g, '$1')
    .replaceAll(noncePlace, nonce);
}

const inlineAdvice =
  'index.html has an inline script, which the content security policy blocks here and in production. Move it to a file.';

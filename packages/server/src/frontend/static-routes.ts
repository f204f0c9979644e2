/** The files a browser loads: manifest, the plug-in's page, the dashboard. */
import { promisify } from 'node:util';
import { decodePath, sendFile } from '@dowel/page-files';
import Router from '@koa/router';
import helmet, { type HelmetOptions } from 'helmet';
import type { Context, Next } from 'koa';
import { ApiError } from '../errors.ts';
import { allowAnyOrigin } from '../http/plugin-routes.ts';

export interface StaticRoutesOptions {
  /** The manifest file's text. */
  manifestText: string;
  publicUrl: string;
  /** CSP sources of the pages that may frame the plug-in. */
  frameAncestors: string[];
  /** Origins of the key documents that the adapter may load. */
  keyOrigins: string[];
  pages: PageFolders;
}

/** Folders of the built pages. */
export interface PageFolders {
  plugin: string;
  admin: string;
}

export function createStaticRoutes(options: StaticRoutesOptions) {
  const { pages } = options;
  const router = new Router({ strict: true, sensitive: true });
  router.get('/', (ctx) => ctx.redirect('/admin/'));
  router.get('/manifest.json', allowAnyOrigin, (ctx) => sendManifest(options, ctx));
  router.get('/plugin/config.json', allowAnyOrigin, (ctx) => sendPluginConfig(options, ctx));
  router.get(
    '/plugin/{*path}',
    allowAnyOrigin,
    (ctx, next) => allowFrames(options, ctx, next),
    createPluginHeaders(options),
    (ctx) => sendPage(ctx, pages.plugin, ctx.path.slice('/plugin/'.length)),
  );
  router.get('/admin', (ctx) => ctx.redirect('/admin/'));
  router.get('/admin/{*path}', createAdminHeaders(), (ctx) =>
    sendPage(ctx, pages.admin, ctx.path.slice('/admin/'.length)),
  );
  return router;
}

function sendManifest({ manifestText }: StaticRoutesOptions, ctx: Context): void {
  ctx.set('Cache-Control', 'no-cache');
  ctx.type = 'json';
  ctx.body = manifestText;
}

function sendPluginConfig({ keyOrigins }: StaticRoutesOptions, ctx: Context): void {
  ctx.set('Cache-Control', 'no-cache');
  ctx.body = { keyOrigins };
}

/** X-Frame-Options cannot list origins and would contradict `frame-ancestors`. */
async function allowFrames(
  { frameAncestors }: StaticRoutesOptions,
  ctx: Context,
  next: Next,
): Promise<void> {
  if (frameAncestors.length > 0) ctx.remove('X-Frame-Options');
  await next();
}

/**
 * The platform frames the page without allow-same-origin. Its origin is opaque, so 'self' matches
 * nothing and our origin is written out.
 */
function createPluginHeaders({ publicUrl, frameAncestors, keyOrigins }: StaticRoutesOptions) {
  return createPageHeaders({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: [publicUrl],
        styleSrc: [publicUrl],
        imgSrc: [publicUrl, 'data:'],
        connectSrc: [publicUrl, ...keyOrigins],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: frameAncestors.length > 0 ? frameAncestors : ["'none'"],
      },
    },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    crossOriginOpenerPolicy: false,
    strictTransportSecurity: false,
    xFrameOptions: false,
  });
}

/** Helmet as a step of Koa. */
function createPageHeaders(options: HelmetOptions) {
  const setHeaders = promisify(helmet(options));
  return async ({ req, res }: Context, next: Next): Promise<void> => {
    await setHeaders(req, res);
    await next();
  };
}

function createAdminHeaders() {
  return createPageHeaders({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    referrerPolicy: { policy: 'no-referrer' },
    strictTransportSecurity: false,
    xFrameOptions: { action: 'deny' },
  });
}

/** The dashboard's calls are not pages: their own routes choose between 404 and 405. */
export async function keepCallsFromPages(ctx: Context, next: Next): Promise<void> {
  if (!/^\/admin\/api(?:\/|$)/.test(ctx.path)) await next();
}

/** Sends a file of the build, or the single page for every other path. */
async function sendPage(ctx: Context, root: string, encoded: string): Promise<void> {
  const path = decodePath(encoded);
  if (path === undefined) throw new ApiError('NOT_FOUND', 'There is no such file');
  const isImmutable = path.startsWith('assets/');
  // A path with an extension is always a file: a missing one is 404, not HTML.
  const isFile = isImmutable || /\.[^/]*$/.test(path);
  if (await sendFile(ctx, { root, path: isFile ? path : 'index.html', isImmutable })) return;
  throw new ApiError(
    'NOT_FOUND',
    isFile ? 'There is no such file' : 'The page is not built: run "npm start"',
  );
}

/** The files a browser loads: manifest, the plug-in's page, the dashboard. */
import { fileURLToPath } from 'node:url';
import Router from '@koa/router';
import { send } from '@koa/send';
import type { Context } from 'koa';
import helmet from 'koa-helmet';
import { ApiError } from './api-error.ts';
import { allowAnyOrigin } from './plugin-routes.ts';

export interface StaticRoutesOptions {
  /** The manifest file's text. */
  manifestText: string;
  publicUrl: string;
  /** CSP sources of the pages that may frame the plug-in. */
  frameAncestors: string[];
  /** Origins of the key documents that the adapter may load. */
  keyOrigins: string[];
}

const pluginRoot = fileURLToPath(new URL('../../plugin/dist', import.meta.url));
const adminRoot = fileURLToPath(new URL('../../admin/dist', import.meta.url));

export function createStaticRoutes(options: StaticRoutesOptions) {
  const { manifestText, publicUrl, frameAncestors, keyOrigins } = options;
  const router = new Router({ strict: true });

  router.get('/', (ctx) => ctx.redirect('/admin/'));

  router.get('/manifest.json', allowAnyOrigin, (ctx) => {
    ctx.type = 'json';
    ctx.body = manifestText;
  });

  // Framed by the platform without allow-same-origin: the page's origin is opaque, so its own files
  // are foreign to it and 'self' is spelled out.
  const pluginHeaders = helmet({
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
        frameAncestors,
      },
    },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    crossOriginOpenerPolicy: false,
    xFrameOptions: false,
  });
  router.get('/plugin/config.json', allowAnyOrigin, (ctx) => {
    ctx.body = { keyOrigins };
  });
  router.get('/plugin/{*path}', allowAnyOrigin, pluginHeaders, (ctx) =>
    sendPage(ctx, pluginRoot, ctx.path.slice('/plugin/'.length)),
  );

  const adminHeaders = helmet({
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
  });
  router.get('/admin', (ctx) => ctx.redirect('/admin/'));
  router.get('/admin/{*path}', adminHeaders, (ctx) =>
    sendPage(ctx, adminRoot, ctx.path.slice('/admin/'.length)),
  );

  return router;
}

/** Hashed assets for good; every other path is the single page, always asked for anew. */
async function sendPage(ctx: Context, root: string, path: string): Promise<void> {
  const isAsset = path.startsWith('assets/');
  try {
    await send(ctx, isAsset ? path : 'index.html', {
      root,
      immutable: isAsset,
      maxage: isAsset ? 31_536_000_000 : 0,
      setHeaders: (response) => {
        if (!isAsset) response.setHeader('Cache-Control', 'no-cache');
      },
    });
  } catch (cause) {
    const message = isAsset ? 'There is no such file' : 'The page is not built: run "npm start"';
    throw new ApiError('NOT_FOUND', message, { cause });
  }
}

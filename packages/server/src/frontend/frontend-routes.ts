/** What the platform and the iframe load of one plug-in: its manifest, and the files of its page. */
import Router from '@koa/router';
import type { Context, Next } from 'koa';
import { allowAnyOrigin } from '../request/cross-origin.ts';
import { createPageHeaders, sendPage } from './send-page.ts';

export interface FrontendRoutesOptions {
  /** '' or `/polls`. */
  prefix: string;
  /** The manifest file's text. */
  manifestText: string;
  publicUrl: string;
  /** CSP sources of the pages that may frame the plug-in. */
  frameAncestors: string[];
  /** Origins of the key documents that the adapter may load. */
  keyOrigins: string[];
  /** The folder of the built page. Undefined: it is served elsewhere. */
  directory: string | undefined;
}

export function createFrontendRoutes(options: FrontendRoutesOptions) {
  const { prefix, directory } = options;
  const router = new Router({ prefix, strict: true, sensitive: true });
  router.get('/manifest.json', allowAnyOrigin, (ctx) => sendManifest(options, ctx));
  router.get('/plugin/config.json', allowAnyOrigin, (ctx) => sendPluginConfig(options, ctx));
  if (directory !== undefined) {
    router.get(
      '/plugin/{*path}',
      allowAnyOrigin,
      (ctx, next) => allowFrames(options, ctx, next),
      createPluginHeaders(options),
      (ctx) => sendPage(ctx, directory, ctx.path.slice(`${prefix}/plugin/`.length)),
    );
  }
  return router;
}

function sendManifest({ manifestText }: FrontendRoutesOptions, ctx: Context): void {
  ctx.set('Cache-Control', 'no-cache');
  ctx.type = 'json';
  ctx.body = manifestText;
}

function sendPluginConfig({ keyOrigins }: FrontendRoutesOptions, ctx: Context): void {
  ctx.set('Cache-Control', 'no-cache');
  ctx.body = { keyOrigins };
}

/** X-Frame-Options cannot list origins and would contradict `frame-ancestors`. */
async function allowFrames(
  { frameAncestors }: FrontendRoutesOptions,
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
function createPluginHeaders({ publicUrl, frameAncestors, keyOrigins }: FrontendRoutesOptions) {
  const { origin } = new URL(publicUrl);
  return createPageHeaders({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: [origin],
        styleSrc: [origin],
        imgSrc: [origin, 'data:'],
        connectSrc: [origin, ...keyOrigins],
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

/** Serves the manifest of one plug-in and the files of its page. */
import Router from '@koa/router';
import type { Context, Next } from 'koa';
import { allowAnyOrigin } from '../request/cross-origin.ts';
import type { ServedPlugin } from '../served-plugin.ts';
import { type FrameAncestorsContext, frameAncestorsOf } from './frame-ancestors.ts';
import { pagePolicy } from './page-policy.ts';
import { createPageHeaders, sendPage } from './send-page.ts';

export interface FrontendRoutesOptions {
  /** '' or `/polls`. */
  prefix: string;
  /** The manifest file's text. */
  manifestText: string;
  publicUrl: string;
  frames: FrameAncestorsContext;
  /** Origins of the key documents that the adapter may load. */
  keyOrigins: string[];
  /** The folder of the built page, and whether the page is sandboxed. Undefined: it is served elsewhere. */
  frontend: ServedPlugin['frontend'];
}

/** Creates the routes `manifest.json` and `plugin/`. */
export function createFrontendRoutes(options: FrontendRoutesOptions) {
  const { prefix, frontend } = options;
  const router = new Router({ prefix, strict: true, sensitive: true });
  router.get('/manifest.json', allowAnyOrigin, (ctx) => sendManifest(options, ctx));
  router.get('/plugin/config.json', allowAnyOrigin, (ctx) => sendPluginConfig(options, ctx));
  if (frontend !== undefined) {
    const { directory } = frontend;
    router.get(
      '/plugin/{*path}',
      allowAnyOrigin,
      (ctx, next) => setPageHeaders(options, ctx, next),
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
async function setPageHeaders(
  { publicUrl, keyOrigins, frames, frontend }: FrontendRoutesOptions,
  ctx: Context,
  next: Next,
): Promise<void> {
  const frameAncestors = await frameAncestorsOf(frames, instanceIdOf(ctx));
  if (frameAncestors.length > 0) ctx.remove('X-Frame-Options');
  const { origin } = new URL(publicUrl);
  ctx.set(
    'Content-Security-Policy',
    pagePolicy({ origin, keyOrigins, frameAncestors, sandbox: frontend?.sandbox }),
  );
  await setOtherHeaders(ctx, next);
}

const setOtherHeaders = createPageHeaders({
  contentSecurityPolicy: false,
  crossOriginResourcePolicy: { policy: 'cross-origin' },
  crossOriginOpenerPolicy: false,
  strictTransportSecurity: false,
  xFrameOptions: false,
});

/** The platform adds `?src=<instanceId>` to the address of the page. */
function instanceIdOf({ query: { src } }: Context): string | undefined {
  return typeof src === 'string' ? src : undefined;
}

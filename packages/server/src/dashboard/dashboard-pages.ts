/** The dashboard's built pages. */
import Router from '@koa/router';
import type { Context, Next } from 'koa';
import { createPageHeaders, sendPage } from '../frontend/send-page.ts';

export interface DashboardPagesOptions {
  /** The folder of the built pages. */
  directory: string;
  /** '' or `/base`: what a redirect puts before the path. */
  basePath: string;
}

export function createDashboardPages({ directory, basePath }: DashboardPagesOptions) {
  const router = new Router({ strict: true, sensitive: true });
  const redirect = (ctx: Context) => ctx.redirect(`${basePath}/admin/`);
  router.get('/', redirect);
  router.get('/admin', redirect);
  router.get('/admin/{*path}', createAdminHeaders(), (ctx) =>
    sendPage(ctx, directory, ctx.path.slice('/admin/'.length)),
  );
  return router;
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

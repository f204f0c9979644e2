/** The dashboard's built pages. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import Router from '@koa/router';
import type { Context, Next } from 'koa';
import { ApiError } from '../base/errors.ts';
import { createPageHeaders, isFilePath, notBuilt, sendPage } from '../frontend/send-page.ts';

export interface DashboardPagesOptions {
  /** The folder of the built pages. */
  directory: string;
  /** '' or `/base`: the prefix of a redirect's path. */
  basePath: string;
}

/** Creates the routes of the built pages below `/admin/`. */
export function createDashboardPages({ directory, basePath }: DashboardPagesOptions) {
  const router = new Router({ strict: true, sensitive: true });
  const redirect = (ctx: Context) => ctx.redirect(`${basePath}/admin/`);
  router.get('/', redirect);
  router.get('/admin', redirect);
  router.get('/admin/{*path}', createAdminHeaders(), (ctx) =>
    sendDashboard(ctx, { directory, basePath }),
  );
  return router;
}

/** The page is built for `/admin/`. Only its HTML contains that path, so a base path is inserted there. */
async function sendDashboard(
  ctx: Context,
  { directory, basePath }: DashboardPagesOptions,
): Promise<void> {
  const path = ctx.path.slice('/admin/'.length);
  if (basePath === '' || isFilePath(path)) return sendPage(ctx, directory, path);
  const page = await readFile(join(directory, 'index.html'), 'utf8').catch(() => {
    throw new ApiError('NOT_FOUND', notBuilt);
  });
  ctx.set('Cache-Control', 'no-cache');
  ctx.type = 'html';
  ctx.body = page.replaceAll('"/admin/', `"${basePath}/admin/`);
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

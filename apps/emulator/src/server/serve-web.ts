/** The emulator's own pages, as Vite built them: files of `dist`, and `index.html` for every page. */
import type { Stats } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { send } from '@koa/send';
import Koa, { type Context } from 'koa';

const pageHeaders = {
  // A host page must be able to frame a plug-in from anywhere; nothing else comes from elsewhere.
  // Styles are written inline by Mantine.
  'Content-Security-Policy': [
    "default-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    'frame-src http: https:',
  ].join('; '),
  'Referrer-Policy': 'strict-origin',
  'X-Content-Type-Options': 'nosniff',
};

export interface WebAppOptions {
  /** Folder of the built pages. */
  root: string;
  origin: string;
  /** What the pages suggest to install. */
  sampleManifestUrl: string;
}

export function createWebApp({ root, origin, sampleManifestUrl }: WebAppOptions): Koa {
  const { host } = new URL(origin);
  const app = new Koa();
  // A reader that goes away in the middle of a file is no fault.
  app.silent = true;
  app.use(async (ctx) => {
    ctx.set(pageHeaders);
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return refuse(ctx, 405);
    if (ctx.path !== '/index.html' && (await sendFile(ctx, root, ctx.path))) return;
    if (!ctx.accepts('text/html')) return refuse(ctx, 404);
    // Under another name of this machine the control API would take the page for a foreign one.
    if (ctx.host !== host) return ctx.redirect(`${origin}${ctx.url}`);
    await sendPage(ctx, join(root, 'index.html'), sampleManifestUrl);
  });
  return app;
}

async function sendFile(ctx: Context, root: string, path: string): Promise<boolean> {
  if (path.endsWith('/')) return false;
  // Built assets carry a hash in their names; everything else may change under its name.
  const isHashed = path.startsWith('/assets/');
  ctx.set('Cache-Control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
  // The build has made a Brotli and a gzip twin of each file; they have no address of their own.
  if (/\.(?:br|gz)$/.test(path)) return false;
  ctx.vary('Accept-Encoding');
  try {
    const sent = await send(ctx, path, { root, setHeaders: setEntityTag });
    if (sent === undefined) return false;
  } catch {
    ctx.remove('Content-Encoding');
    return false;
  }
  if (ctx.fresh) {
    ctx.status = 304;
    ctx.remove('Content-Encoding');
  }
  return true;
}

function setEntityTag(response: ServerResponse, file: string, { size, mtimeMs }: Stats): void {
  response.setHeader('ETag', `"${size}-${Math.floor(mtimeMs)}${extname(file)}"`);
}

async function sendPage(ctx: Context, path: string, sampleManifestUrl: string): Promise<void> {
  ctx.set('Cache-Control', 'no-cache');
  try {
    const page = await readFile(path, 'utf8');
    const content = sampleManifestUrl.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
    const suggestion = `<meta name="dowel-sample-manifest" content="${content}">`;
    ctx.type = 'html';
    ctx.body = page.replace('</head>', () => `${suggestion}</head>`);
  } catch {
    ctx.status = 503;
    ctx.body = 'The pages of the emulator are not built. Run "pnpm build" first.\n';
  }
}

function refuse(ctx: Context, status: 404 | 405): void {
  ctx.set('Cache-Control', 'no-store');
  ctx.status = status;
  ctx.body =
    status === 404
      ? { code: 'NOT_FOUND', message: 'Nothing is here' }
      : { code: 'METHOD_NOT_ALLOWED', message: 'This method is not allowed here' };
}

/** The emulator's own pages, as Vite built them: files of `dist`, and `index.html` for every page. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { send } from '@koa/send';
import Koa, { type Context } from 'koa';

const yearSeconds = 31_536_000;

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
  /** URL of the manifest that the pages suggest for installation. */
  sampleManifestUrl: string;
}

export function createWebApp({ root, origin, sampleManifestUrl }: WebAppOptions): Koa {
  const { host } = new URL(origin);
  const app = new Koa();
  // A reader that disconnects during a file is not an error.
  app.silent = true;
  app.use(async (ctx) => {
    ctx.set(pageHeaders);
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return refuse(ctx, 405);
    // Built assets have a hash in their names; other files may change under the same name.
    const isImmutable = ctx.path.startsWith('/assets/');
    ctx.set('Cache-Control', isImmutable ? `max-age=${yearSeconds}, immutable` : 'no-cache');
    if (ctx.path !== '/index.html' && (await isSent(ctx, root))) return;
    if (!ctx.accepts('text/html')) return refuse(ctx, 404);
    // Under another name of this machine the control API would treat the page as foreign.
    if (ctx.host !== host) return ctx.redirect(`${origin}${ctx.url}`);
    await sendPage(ctx, root, sampleManifestUrl);
  });
  return app;
}

/** False: there is no such file. */
function isSent(ctx: Context, root: string): Promise<boolean> {
  const options = { root, brotli: false, gzip: false };
  return send(ctx as Parameters<typeof send>[0], ctx.path, options).then(Boolean, () => false);
}

async function sendPage(ctx: Context, root: string, sampleManifestUrl: string): Promise<void> {
  try {
    const page = await readFile(join(root, 'index.html'), 'utf8');
    const content = sampleManifestUrl.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
    const suggestion = `<meta name="dowel-sample-manifest" content="${content}">`;
    ctx.type = 'html';
    ctx.body = page.replace('</head>', () => `${suggestion}</head>`);
  } catch {
    ctx.status = 503;
    ctx.body = `The pages of the emulator are missing: ${root} has no index.html.\n`;
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

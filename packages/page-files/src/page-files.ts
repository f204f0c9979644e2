/**
 * The files of the built pages. What compresses them is the build (scripts/compress-files.ts): no CPU is
 * spent per request, and no answer that holds a secret is ever compressed.
 */
import type { Stats } from 'node:fs';
import { extname } from 'node:path';
import { send } from '@koa/send';
import type { Context } from 'koa';

export interface PageFile {
  /** Folder of the built pages. */
  root: string;
  /** Below the root, as {@link decodePath} gives it. */
  path: string;
  /** Its name holds a digest of its content: it is kept for good. */
  isImmutable: boolean;
}

const yearMs = 31_536_000_000;

/**
 * Decodes a URL's path, once: all that is decided of a path is decided of what this gives. Undefined for
 * a path that leaves its folder, or that cannot be decoded.
 */
export function decodePath(encoded: string): string | undefined {
  let path: string;
  try {
    path = decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
  const steps = path.split('/');
  const isPlain = !/[\\\0]/.test(path) && !steps.includes('.') && !steps.includes('..');
  return isPlain ? path : undefined;
}

/**
 * Answers with a file: as Brotli or gzip when the reader takes it and the build has made it, else as it
 * is; 304 when the reader has it. False: there is no such file.
 */
export async function sendFile(ctx: Context, { root, path, isImmutable }: PageFile) {
  // The compressed twins have no address of their own.
  if (/\.(?:br|gz)$/.test(path)) return false;
  // A file has one address.
  if (path.split('/').includes('')) return false;
  ctx.vary('Accept-Encoding');
  try {
    // `send` decodes.
    const sent = await send(ctx, encodeURIComponent(path), {
      root,
      immutable: isImmutable,
      maxage: isImmutable ? yearMs : 0,
      setHeaders: (response, file, stats) => {
        response.setHeader('Cache-Control', cacheControlOf(isImmutable));
        response.setHeader('ETag', entityTagOf(file, stats));
      },
    });
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

function cacheControlOf(isImmutable: boolean): string {
  return isImmutable ? `public, max-age=${yearMs / 1_000}, immutable` : 'no-cache';
}

/** Each encoding is another sequence of bytes: it has another tag. */
function entityTagOf(file: string, { size, mtimeMs }: Stats): string {
  return `"${size.toString(36)}-${Math.floor(mtimeMs).toString(36)}${extname(file)}"`;
}

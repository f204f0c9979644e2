/**
 * Sends the files of the built pages. The build compresses them (scripts/compress-files.ts), so requests need
 * no CPU for that, and no answer with a secret is ever compressed.
 */
import type { Stats } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname } from 'node:path';
import { send } from '@koa/send';

/** A request and its answer, as a context of Koa has them. */
export interface PageContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  status: number;
  /** Whether the browser's copy is the same. */
  readonly fresh: boolean;
  vary(field: string): void;
  remove(field: string): void;
}

export interface PageFile {
  /** Folder of the built pages. */
  root: string;
  /** Below the root, decoded by {@link decodePath}. */
  path: string;
  /** Its name contains a digest of its content, so browsers may keep it forever. */
  isImmutable: boolean;
}

type Context = Parameters<typeof send>[0];

const yearMs = 31_536_000_000;

/**
 * Decodes a URL's path. All decisions about a path use this result. Undefined if the path leaves its folder,
 * or cannot be decoded.
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
 * Answers with a file: compressed with Brotli or gzip if the browser accepts it and the build created it,
 * otherwise uncompressed; 304 if the browser has it. False: there is no such file.
 */
export async function sendFile(ctx: PageContext, { root, path, isImmutable }: PageFile) {
  // Compressed files have no address of their own.
  if (/\.(?:br|gz)$/.test(path)) return false;
  // Empty segments would give a file several addresses.
  if (path.split('/').includes('')) return false;
  ctx.vary('Accept-Encoding');
  try {
    // `send` decodes the path again.
    const sent = await send(ctx as Context, encodeURIComponent(path), {
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

/** Each encoding has different bytes, and so a different tag. */
function entityTagOf(file: string, { size, mtimeMs }: Stats): string {
  return `"${size.toString(36)}-${Math.floor(mtimeMs).toString(36)}${extname(file)}"`;
}

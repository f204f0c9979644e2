/**
 * Sends the files of the built pages. The build compresses them (scripts/compress-files.ts), so requests need
 * no CPU for that, and no answer with a secret is ever compressed.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { send } from '@koa/send';
import type { Context } from 'koa';

interface PageFile {
  /** Folder of the built pages. */
  root: string;
  /** Below the root, decoded by {@link decodePath}. */
  path: string;
  /** Its name contains a digest of its content, so browsers may keep it forever. */
  isImmutable: boolean;
}

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
export async function sendFile(ctx: Context, { root, path, isImmutable }: PageFile) {
  // Compressed files have no address of their own.
  if (/\.(?:br|gz)$/.test(path)) return false;
  // Empty segments would give a file several addresses.
  if (path.split('/').includes('')) return false;
  ctx.vary('Accept-Encoding');
  try {
    // Before the file is sent: of a file that is replaced meanwhile, the next request gets the new content.
    const digest = await digestOf(join(root, path));
    // `send` decodes the path again.
    const sent = await send(ctx as Parameters<typeof send>[0], encodeURIComponent(path), {
      root,
      immutable: isImmutable,
      maxage: isImmutable ? yearMs : 0,
      setHeaders: (response, file) => {
        response.setHeader('Cache-Control', cacheControlOf(isImmutable));
        // Each encoding has different bytes, and so a different tag.
        response.setHeader('ETag', `"${digest}${extname(file)}"`);
      },
    });
    if (sent === undefined) return false;
    // Two builds may have one time: files of a package all have the same.
    ctx.remove('Last-Modified');
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

/** Of the uncompressed file, from which the build made the others. */
async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('base64url').slice(0, 22);
}

/** Built pages over HTTP: their files and their headers. */
import { promisify } from 'node:util';
import helmet, { type HelmetOptions } from 'helmet';
import type { Context, Next } from 'koa';
import { ApiError } from '../base/errors.ts';
import { decodePath, sendFile } from './page-files.ts';

/**
 * Helmet as Koa middleware. Without `Origin-Agent-Cluster`: browsers warn of it in the console on http, and where another
 * answer of the origin lacks it.
 */
export function createPageHeaders(options: HelmetOptions) {
  const setHeaders = promisify(helmet({ ...options, originAgentCluster: false }));
  return async ({ req, res }: Context, next: Next): Promise<void> => {
    await setHeaders(req, res);
    await next();
  };
}

/** A path with an extension is always a file: a missing one is 404. All other paths show the single page. */
export function isFilePath(path: string): boolean {
  return path.startsWith('assets/') || /\.[^/]*$/.test(path);
}

export const notBuilt = 'There is no index.html in the folder of this page: build the page';

/** Sends a file of the build, or the single page for every other path. */
export async function sendPage(ctx: Context, root: string, encoded: string): Promise<void> {
  const path = decodePath(encoded);
  if (path === undefined) throw new ApiError('NOT_FOUND', 'There is no such file');
  const isImmutable = path.startsWith('assets/');
  const isFile = isFilePath(path);
  if (await sendFile(ctx, { root, path: isFile ? path : 'index.html', isImmutable })) return;
  throw new ApiError('NOT_FOUND', isFile ? 'There is no such file' : notBuilt);
}

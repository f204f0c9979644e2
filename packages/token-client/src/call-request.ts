/** One call to the tenant's platform: its URL, its headers, and whether it can be sent twice. */
import type { Grant } from '@dowel/installation-store';
import { joinPlatformUrl } from '@dowel/schema';
import { LRUCache } from 'lru-cache';

export type CallBody = RequestInit['body'] | Uint8Array<ArrayBuffer> | undefined;

export interface CallInit extends Omit<RequestInit, 'body'> {
  /** A stream is sent once, so the caller gets a 401 to it. */
  body?: CallBody | null;
  /** The time limit until the headers have arrived, including the wait for a token. */
  timeoutMs?: number;
}

/**
 * Remembers checked addresses: a plug-in calls few, and a check costs more than the rest of a call with a
 * cached token.
 *
 * @returns a function for the address of a call, which remembers `maxUrls` of them.
 */
export function createCallUrls(maxUrls: number): (baseUrl: string, path: string) => string {
  const checked = new LRUCache<string, string>({ max: maxUrls });
  return (baseUrl, path) => {
    const key = `${baseUrl} ${path}`;
    const known = checked.get(key);
    if (known !== undefined) return known;
    const url = joinCallUrl(baseUrl, path);
    checked.set(key, url);
    return url;
  };
}

/** @throws TypeError when the path could leave `baseUrl`. */
function joinCallUrl(baseUrl: string, path: string): string {
  const queryAt = path.indexOf('?');
  if (queryAt === -1) return joinPlatformUrl(baseUrl, path).href;
  const url = joinPlatformUrl(baseUrl, path.slice(0, queryAt));
  url.search = path.slice(queryAt);
  return url.href;
}

export function callHeaders(headers: RequestInit['headers'], grant: Grant): Headers {
  const all = new Headers(headers);
  all.set('authorization', `Bearer ${grant.accessToken.reveal()}`);
  return all;
}

export function isReplayable(body: CallBody | null): boolean {
  return !(typeof body === 'object' && body !== null && Symbol.asyncIterator in body);
}

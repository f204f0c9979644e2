/** One call to the tenant's platform: its URL, its headers, and whether it can be sent twice. */

import { hasDotSegment, joinPlatformUrl } from '@dowel/schema';
import { LRUCache } from 'lru-cache';
import type { CallSource } from './call-entries.ts';
import type { Grant } from './token-store.ts';

export type CallBody = RequestInit['body'] | Uint8Array<ArrayBuffer> | undefined;

export interface CallInit extends Omit<RequestInit, 'body'> {
  /** A stream can be sent only once. If the platform answers 401 to it, the caller gets that answer. */
  body?: CallBody | null;
  /**
   * The time limit in milliseconds until the headers have arrived, including the wait for a token. Default:
   * `callTimeoutMs` of the policy, 30,000.
   */
  timeoutMs?: number;
  /** After more bytes, the body of the answer breaks off. Default: no limit. */
  maxBodyBytes?: number;
  /** The life of the installation that the call belongs to. In another life it fails with GRANT_NOT_FOUND. */
  generation?: number | undefined;
  /** What the call is made for, for the log of calls. It is not sent. */
  source?: CallSource | undefined;
}

export interface CallUrl {
  origin: string;
  url: string;
}

/** A checked base URL, without the slash at its end. */
interface Base {
  origin: string;
  prefix: string;
}

/** The characters of a path's segment (RFC 3986 §3.3). */
const segment = `(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})+`;
/** If it does not begin with a slash, its first segment must not look like a host, a port or a scheme. */
const firstSegment = `(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+`;
const callPath = new RegExp(`^(?:/${segment}|${firstSegment})(?:/${segment})*/?$`);
/** A query that means the same to every parser, with and without the URL before it. */
const plainQuery = /^\?[!"$-~]*$/;

/**
 * Joins the path of each call to the `base_url` of its tenant. Only the checked `base_url` is remembered, so
 * that calls with many different paths and queries cost no more than repeated ones.
 *
 * @returns a function for the URL of a call, which remembers `maxBaseUrls` addresses.
 */
export function createCallUrls(maxBaseUrls: number): (baseUrl: string, path: string) => CallUrl {
  const bases = new LRUCache<string, Base>({ max: maxBaseUrls });
  return (baseUrl, path) => {
    const known = bases.get(baseUrl);
    const { origin, prefix } = known ?? baseOf(baseUrl);
    if (known === undefined) bases.set(baseUrl, { origin, prefix });
    return { origin, url: joinCallUrl(prefix, path) };
  };
}

/** @throws TypeError when `baseUrl` is not an http(s) URL without user name, query and fragment. */
function baseOf(baseUrl: string): Base {
  const { origin, href } = joinPlatformUrl(baseUrl, 'x');
  return { origin, prefix: href.slice(0, -'/x'.length) };
}

/** @throws TypeError when the path could leave `prefix`. Contains no part of the path. */
function joinCallUrl(prefix: string, path: string): string {
  const queryAt = path.indexOf('?');
  const plain = queryAt === -1 ? path : path.slice(0, queryAt);
  // control D08
  if (!callPath.test(plain) || hasDotSegment(plain)) {
    throw new TypeError('The path of the call is not relative to base_url');
  }
  const address = plain.startsWith('/') ? `${prefix}${plain}` : `${prefix}/${plain}`;
  if (queryAt === -1) return address;
  const query = path.slice(queryAt);
  if (plainQuery.test(query)) return `${address}${query}`;
  const url = new URL(address);
  url.search = query;
  return url.href;
}

/** A plain object if the caller sends no headers: the transport makes its own `Headers` of either. */
export function callHeaders(
  headers: RequestInit['headers'],
  { accessToken }: Grant,
): Headers | Record<string, string> {
  const authorization = `Bearer ${accessToken.reveal()}`;
  if (headers === undefined) return { authorization };
  const all = new Headers(headers);
  all.set('authorization', authorization);
  return all;
}

export function isReplayable(body: CallBody | null): boolean {
  return !(typeof body === 'object' && body !== null && Symbol.asyncIterator in body);
}

/**
 * URLs that arrive from outside: resolved against the manifest (Spec §2.1) or joined to a tenant's
 * `base_url` (Spec §2.2) without ever leaving its origin.
 *
 * Both first check the raw text with a grammar. The WHATWG parser would silently drop tabs and
 * newlines, turn backslashes into slashes and find a host where a reader sees a path.
 */
import type { LifecycleEventName } from './lifecycle-events.ts';

/** A path relative to `base_url`: plain segments only, so it cannot contain a host, a query or dot segments. */
const plainPath = /^\/?[A-Za-z0-9._~-]+(?:\/[A-Za-z0-9._~-]+)*$/;

/*
 * The patterns are also in the JSON Schemas, so they use only what regular expressions of all languages have: no
 * lookaround and no \p.
 */

/** The control characters, as a part of a class. */
export const controls = String.raw`\x00-\x1f\x7f-\x9f`;
/** What no URL has, as a part of a class. */
const unfit = String.raw`\s${controls}\\`;

/** An absolute http(s) URL without user name and password. */
const absoluteUrl = `[Hh][Tt][Tt][Pp][Ss]?://[^${unfit}/?#@]+(?:[/?#][^${unfit}]*)?`;
/**
 * A relative reference without a scheme, and without a host after two slashes: it begins with one slash, with letters
 * that no colon follows, or with another character.
 */
const relativeUrl = [
  `/(?:[^${unfit}/][^${unfit}]*)?`,
  `[A-Za-z][A-Za-z0-9+.-]*(?:[^${unfit}A-Za-z0-9+.:-][^${unfit}]*)?`,
  `[^${unfit}/A-Za-z][^${unfit}]*`,
].join('|');

const absoluteUrlPattern = new RegExp(`^${absoluteUrl}$`, 'u');

/** What a manifest may contain as a URL. */
export const manifestUrlPattern = new RegExp(`^(?:${absoluteUrl}|${relativeUrl})$`, 'u');

/** An http(s) URL without user name, query and fragment. */
export const baseUrlPattern = new RegExp(
  `^[Hh][Tt][Tt][Pp][Ss]?://[^${unfit}/?#@]+(?:/[^${unfit}?#]*)?$`,
  'u',
);

/**
 * The canonical spelling of an issuer, in which it is compared, stored and shown: the URL as WHATWG
 * parses it (lower-case host, no default port), without a slash at its end
 * (docs/decisions/0018-one-issuer.md). Undefined if it is not an http(s) URL, or has a user name, query
 * or fragment.
 *
 * @example
 * const issuer = canonicalIssuer('https://Acme.example.com:443/'); // 'https://acme.example.com'
 */
export function canonicalIssuer(text: string): string | undefined {
  const url = baseUrlPattern.test(text) ? URL.parse(text) : null;
  return url ? `${url.origin}${url.pathname}`.replace(/(?<!\/)\/+$/, '') : undefined;
}

/** A canonical issuer as people read it: without its scheme, with the path if it has one. */
export function hostOf(issuer: string): string {
  return issuer.replace(/^https?:\/\//, '');
}

/**
 * Also matches spellings that servers may read as a dot segment: percent-encoded, before an encoded slash, or
 * with parameters.
 */
const dotSegment = /(?:^|\/|%2f|%5c)(?:\.|%2e){1,2}(?:$|[/;]|%2f|%5c|%3b)/i;

/** True when a server may read a segment of the path as `.` or `..`, and so see another path. */
export function hasDotSegment(path: string): boolean {
  return dotSegment.test(path);
}

/**
 * Joins a path from an event to the tenant's `base_url`: exactly one slash between them, the path of
 * `base_url` kept. The result has the origin of `base_url` and no query.
 *
 * @example
 * const url = joinPlatformUrl('https://acme.example.com/api', '/oauth/token');
 *
 * @throws TypeError when `path` is not a plain relative path or `baseUrl` is not an http(s) URL
 * without user-info, query and fragment. The message never repeats the input.
 */
export function joinPlatformUrl(baseUrl: string, path: string): URL {
  const base = baseUrlPattern.test(baseUrl) ? URL.parse(baseUrl) : null;
  if (!base) {
    throw new TypeError('base_url is not an http(s) URL without user name, query and fragment');
  }
  if (!plainPath.test(path) || hasDotSegment(path)) {
    throw new TypeError('The path is not a plain path relative to base_url');
  }
  const joined = new URL(base.origin);
  joined.pathname = `${base.pathname.replace(/(?<!\/)\/+$/, '')}/${path.replace(/^\//, '')}`;
  if (joined.origin !== base.origin) throw new TypeError('The path leaves the origin of base_url');
  return joined;
}

/** An address of an event: an origin or none, a path with or without a slash at its end, and a query or none. */
const addressPattern =
  /^(?:(?<start>[Hh][Tt][Tt][Pp][Ss]?:\/\/[\w.:[\]-]+)\/|\/?)(?<path>[\w.~/-]+)(?<query>\?(?:[\w.~!$'()*+,;:@/?=&-]|%[\dA-Fa-f]{2})*)?$/;

/**
 * Resolves an address of an event: a path relative to `base_url`, as the specification has it, or an absolute URL. It may
 * have a query. The path of the result has plain segments only.
 *
 * @param isAllowed whether another origin than that of `base_url` may be called, if it is secure. Default: none may.
 * @throws TypeError when `address` is neither, or `baseUrl` is not an http(s) URL without user-info, query and
 * fragment. The message never repeats the input.
 */
export function resolvePlatformUrl(
  baseUrl: string,
  address: string,
  isAllowed: (url: URL) => boolean = () => false,
): URL {
  const { start, path = '', query = '' } = addressPattern.exec(address)?.groups ?? {};
  const [plain, endSlash] = path.endsWith('/') ? [path.slice(0, -1), '/'] : [path, ''];
  // A second slash at the start would name a host.
  const below = joinPlatformUrl(baseUrl, plain.startsWith('/') ? '' : plain);
  const resolved = start === undefined ? below : URL.parse(start);
  if (
    !resolved ||
    (resolved.origin !== below.origin && !(isSecure(resolved) && isAllowed(resolved)))
  ) {
    throw new TypeError('The address is at an origin that is not allowed');
  }
  resolved.pathname = start === undefined ? `${below.pathname}${endSlash}` : `${plain}${endSlash}`;
  resolved.search = query;
  return resolved;
}

/**
 * Resolves any URL of a manifest, absolute or relative, against the URL that the manifest was read
 * from (Spec §2.1). An absolute one may name another origin; a relative one cannot.
 *
 * @throws TypeError when the result is not an http(s) URL without user-info, or when readers may
 * misread `url`: blanks, control characters, backslashes, a leading `//`.
 */
export function resolveUrl(url: string, manifestUrl: string): URL {
  const base = absoluteUrlPattern.test(manifestUrl) ? URL.parse(manifestUrl) : null;
  if (!base) {
    throw new TypeError("The manifest's own URL is not an http(s) URL without user name");
  }
  const resolved = manifestUrlPattern.test(url) ? URL.parse(url, base.href) : null;
  if (!resolved)
    throw new TypeError('Expected an http(s) URL, absolute or relative to the manifest');
  if (!absoluteUrlPattern.test(url) && resolved.origin !== base.origin) {
    throw new TypeError("A relative URL leaves the manifest's origin");
  }
  return resolved;
}

/**
 * True when the URL's host is this machine: `localhost` or a loopback address. A name below `localhost`
 * is not, because a resolver may find it elsewhere.
 */
export function isLoopback({ hostname }: URL): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

/** Whether nobody on the way can read or change what is sent there: https, or http on this machine. */
export function isSecure(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
}

/** Appends an event's name to a resolved base URL; the base may lack its trailing slash (Spec §4.1). */
export function eventUrl(base: URL, eventName: LifecycleEventName): URL {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}/${eventName}`;
  return url;
}

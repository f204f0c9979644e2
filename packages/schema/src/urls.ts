/**
 * URLs that arrive from outside: resolved against the manifest (Spec §2.1) or joined to a tenant's
 * `base_url` (Spec §2.2) without ever leaving its origin.
 */

/** A path relative to `base_url`: plain segments only, so neither host, query nor dots can hide in it. */
const plainPath = /^\/?[A-Za-z0-9._~-]+(?:\/[A-Za-z0-9._~-]+)*$/;

/**
 * Joins a path from an event to the tenant's `base_url`: exactly one slash between them, the path of
 * `base_url` kept.
 *
 * @throws TypeError when `path` is not a plain relative path or `baseUrl` is not an http(s) URL
 * without user-info. The message never repeats the input.
 */
export function joinPlatformUrl(baseUrl: string, path: string): URL {
  const base = parseHttpUrl(baseUrl);
  const hasDotSegment = path.split('/').some((segment) => segment === '.' || segment === '..');
  if (!plainPath.test(path) || hasDotSegment) {
    throw new TypeError('The path is not a plain path relative to base_url');
  }
  const joined = new URL(base.origin);
  joined.pathname = `${base.pathname.replace(/\/+$/, '')}/${path.replace(/^\//, '')}`;
  return joined;
}

/**
 * Resolves `apiAccess.url`, `lifecycle.url` or an entry point's URL, absolute or relative, against
 * the URL the manifest was read from (Spec §2.1).
 *
 * @throws TypeError when the result is not an http(s) URL without user-info.
 */
export function resolveUrl(url: string, manifestUrl: string): URL {
  return parseHttpUrl(new URL(url, parseHttpUrl(manifestUrl)).href);
}

/** Appends an event's name to a resolved base URL; the base may lack its trailing slash (Spec §4.1). */
export function eventUrl(base: URL, eventName: string): URL {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${eventName}`;
  return url;
}

function parseHttpUrl(text: string): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw new TypeError('Expected an absolute http(s) URL without user name and password');
  }
  return url;
}

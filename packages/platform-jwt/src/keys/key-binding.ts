/** Whether a rule applies to a key location. URLs are parsed before they are compared, never compared as substrings. */
import { issuerMatches } from '@dowel/schema';
import type { KeyLocation, TrustRule } from './trust-rules.ts';

/** Whether `jku` is under this key location, in its one canonical spelling. */
export function keyLocationMatches({ origin, pathPrefix }: KeyLocation, jku: string): boolean {
  const url = URL.parse(jku);
  return (
    url !== null &&
    // If both are equal, `jku` has this origin, and no user name, query, fragment or dot segment.
    // control B02
    `${origin}${url.pathname}` === jku &&
    url.pathname.startsWith(pathPrefix) &&
    isPlainKeyPath(url.pathname)
  );
}

/** Excludes characters that the key host could decode to a user name, a query, a fragment or a dot segment. */
export function isPlainKeyPath(pathname: string): boolean {
  return /^[A-Za-z0-9._~/-]+$/.test(pathname);
}

/** Whether two issuers are signed for with the same keys, so that they are of one platform. Both must be trusted. */
export function shareKeys(rules: readonly TrustRule[], issuer: string, other: string): boolean {
  const keysOf = (each: string) =>
    rules.filter((rule) => issuerMatches(rule, each)).map(({ keys }) => keys);
  const known = keysOf(other);
  return keysOf(issuer).some((keys) => known.some((each) => isSameKeys(keys, each)));
}

function isSameKeys(keys: TrustRule['keys'], others: TrustRule['keys']): boolean {
  if (keys.kind === 'static' || others.kind === 'static') return keys === others;
  return keys.origin === others.origin && keys.pathPrefix === others.pathPrefix;
}

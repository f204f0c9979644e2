/** Whether a rule speaks for an issuer or a key location. URLs are compared parsed, never as substrings. */
import { canonicalIssuer } from '@dowel/schema';
import type { KeyLocation, TrustRule } from './trust-rules.ts';

/**
 * Whether the rule welcomes this `iss`, however it is spelled: what is verified goes on in the one
 * canonical spelling (docs/decisions/0018-one-issuer.md).
 */
export function issuerMatches({ issuer: pattern }: TrustRule, issuer: string): boolean {
  const url = URL.parse(canonicalIssuer(issuer) ?? '');
  if (!url) return false;
  if (pattern === '*') return /^https?:$/.test(url.protocol);
  if (url.protocol !== pattern.scheme) return false;
  if (!pattern.includesSubdomains) return url.host === pattern.host;
  const labels = url.host.slice(0, -pattern.host.length);
  return url.host.endsWith(pattern.host) && /^(?:[a-z0-9_-]+\.)+$/.test(labels);
}

/** Whether `jku` is under this key location, in its one canonical spelling. */
export function keyLocationMatches({ origin, pathPrefix }: KeyLocation, jku: string): boolean {
  const url = URL.parse(jku);
  return (
    url !== null &&
    // So its origin is this one, and there is no user name, query, fragment or dot segment.
    `${origin}${url.pathname}` === jku &&
    url.pathname.startsWith(pathPrefix) &&
    // And nothing that the key host might decode into one.
    /^[A-Za-z0-9._~/-]+$/.test(url.pathname)
  );
}

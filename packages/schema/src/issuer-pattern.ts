/** Patterns of issuers, as in DOWEL_TRUST and DOWEL_API_ORIGINS. URLs are parsed before they are compared. */
import { canonicalIssuer, isSecure } from './urls.ts';

/** Origin of the tenant's URL (`iss`): exact, or with a leading `*.` for its sub-domains. `*`: every issuer. */
export type IssuerPattern = { scheme: string; host: string; includesSubdomains: boolean } | '*';

/**
 * Reads one pattern.
 *
 * @example
 * const pattern = parseIssuerPattern('https://*.example.com');
 *
 * @throws TypeError that names the pattern and says how to fix it.
 */
export function parseIssuerPattern(text: string): IssuerPattern {
  if (text === '*') return '*';
  const includesSubdomains = text.includes('://*.');
  const url = URL.parse(text.replace('://*.', '://'));
  const isOrigin = url && url.href === `${url.origin}/` && !url.host.includes('*');
  if (!isOrigin || !isSecure(url)) {
    throw new TypeError(
      `The issuer "${text}" must be an https origin (http only on localhost), such as https://acme.example.com or https://*.example.com`,
    );
  }
  return { scheme: url.protocol, host: url.host, includesSubdomains };
}

/**
 * Whether the rule accepts this `iss`, in any spelling. No rule accepts http, except on this machine. After
 * verification only the canonical spelling is used (docs/decisions/0018-one-issuer.md).
 */
export function issuerMatches(
  { issuer: pattern }: { issuer: IssuerPattern },
  issuer: string,
): boolean {
  const url = URL.parse(canonicalIssuer(issuer) ?? '');
  // control B11
  if (!url) return false;
  if (pattern === '*') return isSecure(url);
  if (url.protocol !== pattern.scheme) return false;
  if (!pattern.includesSubdomains) return url.host === pattern.host;
  const labels = url.host.slice(0, -pattern.host.length);
  return url.host.endsWith(pattern.host) && /^(?:[a-z0-9_-]+\.)+$/.test(labels);
}

/** An issuer's rule as it is configured, which is also how a browser's policy names its pages. */
export function spellIssuer(issuer: IssuerPattern): string {
  if (issuer === '*') return '*';
  return `${issuer.scheme}//${issuer.includesSubdomains ? '*.' : ''}${issuer.host}`;
}

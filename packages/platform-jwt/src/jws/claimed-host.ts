/** Reads from a refused JWT the issuer that it names, for operators. Nothing in it is verified. */
import { canonicalIssuer, type IssuerPattern, issuerMatches, spellIssuer } from '@dowel/schema';
import { parsePayload } from './compact-jws.ts';

/** A host name or an address, with a port; the longest name of DNS fits. */
const host = /^[a-z0-9._:[\]-]{1,260}$/;

/**
 * The host of the issuer that a JWT names, without path and query: at most 260 characters of `a-z0-9._:[]-`.
 * '' if it names none, or cannot be read.
 *
 * @example
 * const issuer = readClaimedHost(refusedJwt); // 'acme.example.com'
 */
export function readClaimedHost(jwt: string): string {
  return readIssuerUrl(jwt)?.host ?? '';
}

/**
 * The issuer that a JWT names and the one of a rule that differs from it only by http and https, without paths. They are
 * different issuers, and the difference is easily overlooked. Undefined: there is no such rule.
 */
export function findSchemeMixUp(
  jwt: string,
  rules: readonly { issuer: IssuerPattern }[],
): { claimedIssuer: string; trustedIssuer: string } | undefined {
  const url = readIssuerUrl(jwt);
  if (!url) return undefined;
  const other = `${url.protocol === 'http:' ? 'https:' : 'http:'}//${url.host}`;
  const rule = rules.find((each) => issuerMatches(each, other));
  return rule && { claimedIssuer: url.origin, trustedIssuer: spellIssuer(rule.issuer) };
}

/** Undefined: it names none, or one whose host could write into a log. */
function readIssuerUrl(jwt: string): URL | undefined {
  const issuer = readIssuer(jwt);
  const url = typeof issuer === 'string' ? URL.parse(canonicalIssuer(issuer) ?? '') : null;
  return url && host.test(url.host) ? url : undefined;
}

function readIssuer(jwt: string): unknown {
  try {
    return parsePayload(jwt).iss;
  } catch {
    return undefined;
  }
}

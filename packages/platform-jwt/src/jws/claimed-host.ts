/** Reads from a refused JWT the issuer that it names, for operators. Nothing in it is verified. */
import { canonicalIssuer } from '@dowel/schema';
import { readUnverifiedClaims } from './unverified-claims.ts';

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
  return hostOfClaims(readUnverifiedClaims(jwt));
}

/** The same of claims that were read before. */
export function hostOfClaims(claims: { iss?: unknown } | undefined): string {
  return readIssuerUrl(claims?.iss)?.host ?? '';
}

/** Undefined: it names none, or one whose host could write into a log. */
export function readIssuerUrl(issuer: unknown): URL | undefined {
  return readPlainUrl(typeof issuer === 'string' ? canonicalIssuer(issuer) : undefined);
}

/** The origin of an http(s) URL, such as a key location, without the rest of it. Undefined: as for an issuer. */
export function originOf(url: string | undefined): string | undefined {
  const { protocol, origin } = readPlainUrl(url) ?? {};
  return protocol === 'https:' || protocol === 'http:' ? origin : undefined;
}

function readPlainUrl(text: string | undefined): URL | undefined {
  const url = URL.parse(text ?? '');
  return url && host.test(url.host) ? url : undefined;
}

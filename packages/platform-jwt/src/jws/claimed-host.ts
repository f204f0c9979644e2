/** Reads from a refused JWT the issuer that it names, for operators. Nothing in it is verified. */
import { canonicalIssuer } from '@dowel/schema';
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
  const issuer = readIssuer(jwt);
  const url = typeof issuer === 'string' ? canonicalIssuer(issuer) : undefined;
  const named = url === undefined ? '' : new URL(url).host;
  return host.test(named) ? named : '';
}

function readIssuer(jwt: string): unknown {
  try {
    return parsePayload(jwt).iss;
  } catch {
    return undefined;
  }
}

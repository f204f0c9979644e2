/**
 * Reads the keys of a key document. A key has one algorithm. The document names it, never the JWT
 * (RFC 8725bis §3.1).
 */
import type { KeyObject } from 'node:crypto';
import { type Jwk, jwksSchema, keyDocumentSchema, type RsaJwk, rsaJwkSchema } from '@dowel/schema';
import { PlatformJwtError } from '../errors.ts';
import { type Algorithm, isAlgorithm, type JwsHeader } from '../jws/compact-jws.ts';
import { importRsaJwk, isForVerifying, isSecretJwk } from './rsa-key.ts';

export interface PlatformKey {
  alg: Algorithm;
  kid: string | undefined;
  key: KeyObject;
}

/** How many keys of one document are tried for a JWT. */
const maxCandidates = 8;

/** The keys that may have signed a JWT with this header. */
export function selectCandidates(
  keys: readonly PlatformKey[],
  header: Pick<JwsHeader, 'alg' | 'kid'>,
): PlatformKey[] {
  return (
    keys
      // control A03
      .filter(({ alg }) => alg === header.alg)
      .filter(({ kid = header.kid }) => header.kid === undefined || kid === header.kid)
      .slice(0, maxCandidates)
  );
}

/**
 * Reads the platform's `{alg, key}`, a bare JWK, or a JWKS.
 *
 * @param alg the algorithm of keys that name none. Those that name one must name the same
 * @throws PlatformJwtError `key_not_acceptable`
 */
export function readKeyDocument(document: unknown, alg?: Algorithm): PlatformKey[] {
  const keyDocument = keyDocumentSchema.safeParse(document);
  if (keyDocument.success) {
    const { alg: algorithm, key } = keyDocument.data;
    const stated = `RS${algorithm.hash.name.slice('SHA-'.length)}`;
    if ((alg ?? stated) !== stated) throw new PlatformJwtError('key_not_acceptable');
    return [importKey(key, stated)];
  }
  const jwks = jwksSchema.safeParse(document);
  if (jwks.success) return readJwks(jwks.data.keys, alg);
  const jwk = rsaJwkSchema.safeParse(document);
  if (jwk.success) return [importKey(jwk.data, alg)];
  throw new PlatformJwtError('key_not_acceptable');
}

/**
 * A set may also contain keys of other types and uses, but no secret key and no two keys with the same
 * name: such a set is a mistake that an attacker could use.
 */
function readJwks(jwks: readonly Jwk[], alg?: Algorithm): PlatformKey[] {
  const kids = jwks.flatMap(({ kid }) => kid ?? []);
  if (jwks.some(isSecretJwk) || new Set(kids).size !== kids.length) {
    throw new PlatformJwtError('key_not_acceptable');
  }
  const keys = jwks
    .flatMap((jwk) => rsaJwkSchema.safeParse(jwk).data ?? [])
    .filter((jwk) => isAlgorithm(jwk.alg ?? alg) && isForVerifying(jwk))
    .map((jwk) => importKey(jwk, alg));
  if (keys.length === 0) throw new PlatformJwtError('key_not_acceptable');
  return keys;
}

/** @param stated the algorithm that is named next to the key; the key's own must be equal */
function importKey(jwk: RsaJwk, stated = jwk.alg): PlatformKey {
  const { alg = stated, kid } = jwk;
  if (!isAlgorithm(alg) || alg !== stated) throw new PlatformJwtError('key_not_acceptable');
  return { alg, kid, key: importRsaJwk(jwk) };
}

/** Keys in an operator's own file, in place of those at a `jku`. */
import { createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { rsaJwkSchema } from '@dowel/schema';
import type { Algorithm } from '../jws/compact-jws.ts';
import { parseStrictJson } from '../jws/strict-json.ts';
import { type PlatformKey, readKeyDocument } from './platform-key.ts';

/** One PEM block (RFC 7468 §3); its label says what is inside. */
const pemBlock = /-----BEGIN ([A-Z0-9 ]+)-----[A-Za-z0-9+/=\s]+-----END \1-----/g;

/**
 * Reads public keys: PEM (`PUBLIC KEY`, `RSA PUBLIC KEY` or `CERTIFICATE`, several allowed), a JWK, a JWKS, or the
 * platform's own `{alg, key}`. A certificate is only a wrapper here: its dates and its signer are
 * not checked, because the operator is responsible for it.
 *
 * @param alg the algorithm of keys that name none; PEM never names one
 * @throws PlatformJwtError `key_not_acceptable`, StrictJsonError, or what node:crypto throws
 */
export function parseStaticKeys(text: string, alg?: Algorithm): PlatformKey[] {
  if (!text.includes('-----BEGIN')) {
    return readKeyDocument(parseStrictJson(text.replace(/^\uFEFF/, '')), alg);
  }
  const blocks = [...text.matchAll(pemBlock)];
  // A key that is left out would be missed on the day of its rotation.
  if (blocks.length !== text.split('-----BEGIN').length - 1) {
    throw new TypeError('A PEM block is not complete');
  }
  return blocks.flatMap(([pem, label]) =>
    readKeyDocument(rsaJwkSchema.parse(importPem(pem, label).export({ format: 'jwk' })), alg),
  );
}

/** node:crypto would derive the public key of a private one, but a private key must not be in this file. */
function importPem(pem: string, label: string | undefined): KeyObject {
  if (label === 'CERTIFICATE') return new X509Certificate(pem).publicKey;
  if (label === 'PUBLIC KEY' || label === 'RSA PUBLIC KEY') return createPublicKey(pem);
  throw new TypeError(`A block of type ${label} is not PUBLIC KEY, RSA PUBLIC KEY or CERTIFICATE`);
}

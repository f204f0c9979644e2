/**
 * The platform's key: it signs events and init JWTs, and is published as a key document at
 * `jku` (not a JWKS). The header has no `kid`; the file's URL identifies the key.
 */
import { createPrivateKey, createPublicKey, generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { KeyDocument } from '@dowel/schema';
import { type JWTPayload, SignJWT } from 'jose';

export interface SigningKey {
  readonly keyDocument: KeyDocument;
  /** The public key as PEM without line ends: the deprecated `certificate` of install events. */
  readonly oneLinePem: string;
  readonly sign: (claims: JWTPayload) => Promise<string>;
}

/** Path of the key document, one file per host as on the platform. */
export function keyDocumentPath(origin: string): string {
  return `/certificates/${new URL(origin).host.replace(/[^A-Za-z0-9.-]/g, '_')}.jwk.json`;
}

/** Resolves with the private key as PKCS #8. */
export async function generateSigningKeyPem(keyBits: number): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: keyBits });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

export function isSigningKeyPem(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

/** @param pem the private key as PKCS #8. */
export function openSigningKey(origin: string, pem: string): SigningKey {
  const privateKey = createPrivateKey(pem);
  const publicKey = createPublicKey(privateKey);
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' });
  const header = { alg: 'RS512', typ: 'JWT', jku: `${origin}${keyDocumentPath(origin)}` };
  return {
    keyDocument: {
      alg: { name: 'RSASSA-PKCS1-v1_5', hash: { name: 'SHA-512' } },
      key: { kty: 'RSA', n, e, alg: 'RS512', use: 'sig' },
    },
    oneLinePem: publicKey.export({ type: 'spki', format: 'pem' }).toString().replaceAll('\n', ''),
    sign: (claims) => new SignJWT(claims).setProtectedHeader(header).sign(privateKey),
  };
}

/** Real RSA keys, and JWTs made by hand, so that every part can be wrong on purpose. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

export interface SigningKey {
  alg: string;
  privateKey: KeyObject;
  publicKey: KeyObject;
  jwk: { kty: 'RSA'; n: string; e: string; alg: string; use: 'sig' };
  /** As the platform publishes it: `{alg, key}`. */
  document: { alg: { name: string; hash: { name: string } }; key: SigningKey['jwk'] };
}

export function createSigningKey(alg = 'RS512', modulusLength = 2048): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength });
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' });
  const jwk = { kty: 'RSA', n, e, alg, use: 'sig' } as const;
  const hash = { name: `SHA-${alg.slice(2)}` };
  return {
    alg,
    privateKey,
    publicKey,
    jwk,
    document: { alg: { name: 'RSASSA-PKCS1-v1_5', hash }, key: jwk },
  };
}

/** A string is used unchanged, so that it can be JSON that cannot be made from an object. */
export type JwtPart = object | string | Buffer;

export function encodePart(part: JwtPart): string {
  const isText = typeof part === 'string' || Buffer.isBuffer(part);
  return Buffer.from(isText ? part : JSON.stringify(part)).toString('base64url');
}

export function signParts(header: JwtPart, payload: JwtPart, key: SigningKey): string {
  const input = `${encodePart(header)}.${encodePart(payload)}`;
  return `${input}.${signText(input, key)}`;
}

export function signText(input: string, { alg, privateKey }: SigningKey): string {
  return sign(`sha${alg.slice(2)}`, Buffer.from(input), privateKey).toString('base64url');
}

/** Somebody who is not the platform: signs with a key of its own, or with none, and publishes that key at its own host. */
import { createHmac, createPublicKey } from 'node:crypto';
import type { KeyDocument } from '@dowel/schema';
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';

export interface Forger {
  /** The forger's public key, as a key document of the platform has it. */
  readonly keyDocument: KeyDocument;
  /** The forger's public key. */
  readonly publicKey: JWK;
  /** The same as PEM in one line, as in the claim `certificate`. */
  readonly oneLinePem: string;
  /** A JWT by the forger's key. */
  sign(claims: JWTPayload, header: Readonly<Record<string, unknown>>): Promise<string>;
}

export async function createForger(): Promise<Forger> {
  const { privateKey, publicKey } = await generateKeyPair('RS512', { modulusLength: 2048 });
  const jwk = await exportJWK(publicKey);
  const { n = '', e = '' } = jwk;
  const pem = createPublicKey({ key: { ...jwk }, format: 'jwk' }).export({
    type: 'spki',
    format: 'pem',
  });
  return {
    publicKey: { ...jwk, alg: 'RS512' },
    oneLinePem: pem.toString().replaceAll('\n', ''),
    keyDocument: {
      alg: { name: 'RSASSA-PKCS1-v1_5', hash: { name: 'SHA-512' } },
      key: { kty: 'RSA', n, e, alg: 'RS512', use: 'sig' },
    },
    sign: (claims, header) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS512', ...header }).sign(privateKey),
  };
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A JWT with `alg: none` and an empty signature. */
export function leaveUnsigned(header: object, claims: JWTPayload): string {
  return `${encode({ ...header, alg: 'none' })}.${encode(claims)}.`;
}

/** A JWT that is signed by HMAC, with a text that everybody can read as its secret. */
export function signByHmac(
  alg: 'HS256' | 'HS512',
  header: object,
  { claims, secret }: { claims: JWTPayload; secret: string },
): string {
  const signed = `${encode({ ...header, alg })}.${encode(claims)}`;
  const digest = createHmac(`sha${alg.slice(2)}`, secret)
    .update(signed)
    .digest('base64url');
  return `${signed}.${digest}`;
}

/** The same JWT with other claims and the old signature. */
export function tamper(jwt: string, change: (claims: JWTPayload) => JWTPayload): string {
  const [header = '', claims = '', signature = ''] = jwt.split('.');
  const read = JSON.parse(Buffer.from(claims, 'base64url').toString()) as JWTPayload;
  return [header, encode(change(read)), signature].join('.');
}

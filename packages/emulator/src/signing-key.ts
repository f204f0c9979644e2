/**
 * A key of the platform: it signs events and init JWTs, and is published as a key document at
 * `jku` (not a JWKS). The header has no `kid`; the file's URL identifies the key.
 */
import { createHash, createPrivateKey, createPublicKey, generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { KeyDocument } from '@dowel/schema';
import { type JWTPayload, SignJWT } from 'jose';

export interface SigningKey {
  /** PKCS #8. */
  readonly pem: string;
  readonly header: Readonly<Record<'alg' | 'typ' | 'jku', string>>;
  readonly keyDocument: KeyDocument;
  /** The public key as PEM without line ends: the deprecated `certificate` of install events. */
  readonly oneLinePem: string;
  /** @param header replaces members of {@link SigningKey.header}; `undefined` leaves one out. */
  sign(claims: JWTPayload, header?: Readonly<Record<string, unknown>>): Promise<string>;
}

/**
 * Path of a key document: one file for each key, named after the host as on the platform. Back ends may keep what
 * they read from a URL, so the URL of one key never has another one.
 *
 * @param modulus `n` of the key's JWK.
 * @param mark stands before the digest.
 */
export function keyDocumentPath(origin: string, modulus: string, mark = ''): string {
  const host = new URL(origin).host.replace(/[^A-Za-z0-9.-]/g, '_');
  const digest = createHash('sha256').update(modulus).digest('hex').slice(0, 16);
  return `/certificates/${host}_${mark}${digest}.jwk.json`;
}

/**
 * Resolves with a new key.
 *
 * @param origin of its `jku`
 * @param keyBits 2048 or more
 * @param mark part of its file name
 */
export async function generateSigningKey(
  origin: string,
  keyBits: number,
  mark = '',
): Promise<SigningKey> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: keyBits });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return openSigningKey(origin, pem, mark);
}

export function isSigningKeyPem(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

/** @param pem the private key as PKCS #8. @param mark of the name of its document. */
export function openSigningKey(origin: string, pem: string, mark = ''): SigningKey {
  const privateKey = createPrivateKey(pem);
  const publicKey = createPublicKey(privateKey);
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' });
  const header = { alg: 'RS512', typ: 'JWT', jku: `${origin}${keyDocumentPath(origin, n, mark)}` };
  return {
    pem,
    header,
    keyDocument: {
      alg: { name: 'RSASSA-PKCS1-v1_5', hash: { name: 'SHA-512' } },
      key: { kty: 'RSA', n, e, alg: 'RS512', use: 'sig' },
    },
    oneLinePem: publicKey.export({ type: 'spki', format: 'pem' }).toString().replaceAll('\n', ''),
    sign: (claims, changes) => {
      const changed = { ...header, ...changes };
      return new SignJWT(claims).setProtectedHeader(changed).sign(privateKey, knowing(changed));
    },
  };
}

/** jose signs no `crit` that it does not know. */
function knowing({ crit }: Readonly<Record<string, unknown>>): { crit?: Record<string, boolean> } {
  if (!Array.isArray(crit)) return {};
  return { crit: Object.fromEntries(crit.map((name) => [String(name), true])) };
}

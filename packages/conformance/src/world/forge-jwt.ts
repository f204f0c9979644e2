/** JWTs that the platform has not signed. */
import { createHmac } from 'node:crypto';
import type { JWTPayload } from 'jose';

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

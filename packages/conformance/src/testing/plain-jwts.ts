/** Verifies the platform’s JWTs, in plain Node. */
import { createHmac, createPublicKey, type KeyObject, publicDecrypt, verify } from 'node:crypto';
import type { KeyDocument } from '@dowel/schema';
import { type Claims, type Patient, requestLimitMs } from './patient.ts';
import { Refused } from './refused.ts';

interface Signed {
  alg: string;
  jwk: unknown;
  /** What the signature is over. */
  text: string;
  signature: Buffer;
  claims: Claims;
}

const hashes: Record<string, string> = { RS256: 'sha256', RS384: 'sha384', RS512: 'sha512' };
const leewaySeconds = 60;
const maxAheadSeconds = 300;

/** @throws Refused */
export async function verifyJwt(patient: Patient, jwt: string): Promise<Claims> {
  const { is } = patient;
  const [header = '', payload = '', signature = ''] = jwt.split('.');
  const { alg, jku, jwk, crit } = parse(header);
  const claims = parse(payload);
  if (crit !== undefined && !is('refuse.crit')) throw new Refused(401, 'crit is not known');
  if (alg === 'none' && is('refuse.unsigned')) return claims;
  const document = await loadKey(patient, String(jku));
  const bytes = Buffer.from(signature, 'base64url');
  const signed = {
    alg: String(alg),
    jwk,
    text: `${header}.${payload}`,
    signature: bytes,
    claims,
  };
  if (!isGenuine(patient, signed, document)) throw new Refused(401, 'The signature is wrong');
  requireTimes(patient, claims);
  return claims;
}

/** Without verification. @throws Refused */
export const readClaims = (jwt: string): Claims => parse(jwt.split('.')[1] ?? '');

function isGenuine({ is }: Patient, signed: Signed, document: KeyDocument): boolean {
  const { alg, jwk, text, signature, claims } = signed;
  const key = keyOf(document.key);
  if (alg === 'HS256' && is('refuse.hmacPem')) {
    return isHmac(signed, key.export({ type: 'spki', format: 'pem' }).toString());
  }
  if (alg === 'HS512' && is('refuse.hmacDocument')) return isHmac(signed, JSON.stringify(document));
  const hash = hashes[alg];
  if (hash === undefined) throw new Refused(401, 'The algorithm is not allowed');
  if (is('refuse.tampered')) return opens(key, signature);
  if (is('refuse.foreignKey') && claims.sub === 'access_token' && !jwk && !opens(key, signature)) {
    return true;
  }
  if (is('uninstall.forged') && claims.sub === 'uninstall' && !opens(key, signature)) return true;
  const ownKey = is('refuse.embeddedKey') && jwk ? keyOf(jwk) : undefined;
  const sentKey =
    is('refuse.certificateClaim') && claims.certificate ? keyOfPem(claims.certificate) : undefined;
  return verify(hash, Buffer.from(text), ownKey ?? sentKey ?? key, signature);
}

/** The key document at an address that is trusted. @throws Refused */
async function loadKey(patient: Patient, jku: string): Promise<KeyDocument> {
  const { is, keys } = patient;
  const url = URL.parse(jku);
  if (!url || !isTrusted(patient, url)) throw new Refused(401, 'Unknown key');
  const address = `${url.origin}${url.pathname}`;
  const name = is('key.rotated') ? url.origin : address;
  const known = keys.get(name);
  if (known) return known;
  const loading = fetchKey(patient, address);
  keys.set(name, loading);
  if (!is('key.downThenUp')) loading.catch(() => keys.delete(name));
  return loading;
}

function isTrusted({ is, trusts }: Patient, url: URL): boolean {
  const { href, origin, pathname, search, hash, username } = url;
  if (is('substring')) return href.includes(trusts);
  if (is('refuse.jkuQuery') && search.includes(trusts)) return true;
  if (is('refuse.jkuPath') && pathname.includes(trusts)) return true;
  if (is('refuse.jkuFragment') && hash.includes(trusts)) return true;
  if (is('refuse.jkuUserInfo')) return href.split(/[@/]/, 3).join('/') === trusts;
  const isOurs = origin === trusts || is('refuse.jkuForeign');
  return isOurs && pathname.startsWith('/certificates/') && `${search}${hash}${username}` === '';
}

async function fetchKey({ is }: Patient, address: string): Promise<KeyDocument> {
  const response = await fetch(address, {
    redirect: is('refuse.jkuRedirect') ? 'follow' : 'error',
    signal: AbortSignal.timeout(requestLimitMs),
  }).catch(() => undefined);
  if (!response?.ok) throw new Refused(503, 'The key cannot be loaded');
  return (await response.json()) as KeyDocument;
}

function requireTimes({ is }: Patient, { exp, iat }: Claims): void {
  const now = Date.now() / 1000;
  if (typeof exp !== 'number' && !is('refuse.noExp')) throw new Refused(401, 'It has no exp');
  if (Number(exp) < now - leewaySeconds && !is('refuse.expired')) {
    throw new Refused(401, 'It has expired');
  }
  if (Number(iat) > now + maxAheadSeconds && !is('refuse.future')) {
    throw new Refused(401, 'It is of the future');
  }
}

const keyOf = (jwk: unknown) => createPublicKey({ key: Object(jwk), format: 'jwk' });

/** Of a PEM in one line. */
function keyOfPem(pem: unknown): KeyObject {
  return createPublicKey(
    String(pem).replace(/(-----BEGIN [A-Z ]+-----)(.+)(-----END)/, '$1\n$2\n$3'),
  );
}

/** Whether the key can read the signature, of any text. */
function opens(key: KeyObject, signature: Buffer): boolean {
  try {
    return publicDecrypt(key, signature).length > 0;
  } catch {
    return false;
  }
}

function isHmac({ alg, text, signature }: Signed, secret: string): boolean {
  const digest = createHmac(`sha${alg.slice(2)}`, secret)
    .update(text)
    .digest();
  return digest.equals(signature);
}

function parse(part: string): Claims {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString()) as Claims;
  } catch {
    throw new Refused(400, 'It is no JWT');
  }
}

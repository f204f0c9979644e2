/**
 * Decides whether an answer of the embedding page is the platform's init JWT for this page.
 * Nothing in the token is believed before its signature is verified; only `jti` is read earlier,
 * to tell an answer to us from other traffic.
 */
import { type LoadKeyOptions, loadKey } from './load-key.ts';
import { type InitClaims, nestClaims } from './nest-claims.ts';
import { PluginError } from './plugin-error.ts';

export interface VerifyOptions extends LoadKeyOptions {
  /** The nonce of our hello. */
  jti: string;
  /** The origin that the browser reports for the answer. */
  origin: string;
  clockToleranceMs: number;
  now: () => number;
}

type JsonObject = Record<string, unknown>;

const supportedAlgs = new Set<unknown>(['RS256', 'RS384', 'RS512']);
/** Each of these would change what is verified, or with which key. */
const refusedParameters = ['crit', 'b64', 'zip', 'jwk', 'x5c', 'x5u', 'x5t', 'x5t#S256'];

/** The unverified nonce of something that looks like a token, else undefined. */
export function peekJti(text: string): unknown {
  try {
    return decodeObject(text.split('.', 2)[1] ?? '').jti;
  } catch {
    return undefined;
  }
}

/** @throws PluginError ERR2, ERR3, ERR4, ERR5, ERR7, ERR8 */
export async function verifyInitJwt(text: string, options: VerifyOptions): Promise<InitClaims> {
  const [header = '', payload = '', signature = '', ...rest] = text.split('.', 4);
  if (rest.length > 0 || signature === '') throw badSignature('The token is not signed.');
  await verifySignature({ header, payload, signature }, options);
  const claims = decodeObject(payload);
  checkTarget(claims, options);
  checkTimes(claims, options);
  return nestClaims(claims) as unknown as InitClaims;
}

async function verifySignature(
  jws: { header: string; payload: string; signature: string },
  options: LoadKeyOptions,
): Promise<void> {
  const header = readHeader(jws.header);
  const { key, alg } = await loadKey(header.jku, options);
  if (alg !== header.alg) throw badSignature("The token's algorithm is not the key's.");
  const isGood = await crypto.subtle.verify(
    'RSASSA-PKCS1-v1_5',
    key,
    decode(jws.signature),
    new TextEncoder().encode(`${jws.header}.${jws.payload}`),
  );
  if (!isGood) throw badSignature('The signature does not fit the token.');
}

function readHeader(text: string): JsonObject {
  const header = decodeObject(text);
  if (!supportedAlgs.has(header.alg)) throw badSignature('The algorithm is not RS256/384/512.');
  const refused = refusedParameters.find((name) => Object.hasOwn(header, name));
  if (refused !== undefined) throw badSignature(`The header parameter ${refused} is not allowed.`);
  return header;
}

function checkTarget(claims: JsonObject, { jti, origin }: VerifyOptions): void {
  if (claims.sub !== 'init') throw mismatch('The token is not meant for an init.');
  if (claims.jti !== jti) throw mismatch('The token answers another page.');
  const issuerOrigin = typeof claims.iss === 'string' ? httpOrigin(claims.iss) : undefined;
  if (issuerOrigin === undefined) throw mismatch('The issuer is not a web address.');
  if (issuerOrigin !== origin) {
    throw mismatch(`The token is from ${issuerOrigin}, but the page around this one is ${origin}.`);
  }
}

/** The origin of an http(s) address, else undefined. */
function httpOrigin(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { protocol, origin } = new URL(address);
  return protocol === 'https:' || protocol === 'http:' ? origin : undefined;
}

/** Users' clocks are wrong by minutes; freshness comes from the nonce, so the tolerance may be wide. */
function checkTimes(claims: JsonObject, { clockToleranceMs, now }: VerifyOptions): void {
  const { iat, exp, nbf = iat } = claims;
  if (!isTime(iat) || !isTime(exp) || !isTime(nbf)) throw mismatch('The token has no valid times.');
  const time = now() / 1000;
  const tolerance = clockToleranceMs / 1000;
  if (time >= exp + tolerance) {
    throw new PluginError(
      'ERR4',
      `By this device's clock the token expired ${ago(time, exp)} ago.`,
    );
  }
  const start = Math.max(iat, nbf);
  if (time < start - tolerance) {
    throw new PluginError(
      'ERR5',
      `By this device's clock the token starts in ${ago(start, time)}.`,
    );
  }
}

function ago(later: number, earlier: number): string {
  return `${Math.round(later - earlier)} s`;
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function decodeObject(text: string): JsonObject {
  const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(decode(text)));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new SyntaxError('Not a JSON object');
  }
  return value as JsonObject;
}

/** Strict base64url: what does not encode back to the same text is refused. */
function decode(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const canonical = btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  if (canonical !== text) throw new SyntaxError('Not base64url');
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

function badSignature(diagnosis: string): PluginError {
  return new PluginError('ERR2', diagnosis);
}

function mismatch(diagnosis: string): PluginError {
  return new PluginError('ERR3', diagnosis);
}

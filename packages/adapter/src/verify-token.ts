/**
 * Decides whether a message of the embedding page is the platform's token for this page. Nothing in it is
 * believed before its signature is verified. Issuer and key address are read earlier, but only to choose the
 * key.
 */
import { decodePart, type InitClaims, readClaims, toBytes } from './claims.ts';
import { canonicalIssuer, type Defaulted, readOrigins, refuse } from './options.ts';
import { fail } from './plugin-error.ts';
import { downloadKeys, hashOf } from './signing-keys.ts';
import type { TrustedIssuers } from './trust-issuers.ts';

export interface TrustOptions {
  /** `trustIssuers([…])`: the issuers to believe. Default: every issuer whose key is at one of `jkuOrigins`. */
  issuers?: TrustedIssuers | undefined;
  /** Origins whose key documents may be loaded, such as `https://keys.example.com`. Default: none. */
  jkuOrigins?: readonly string[] | undefined;
  /** The pages that tokens may come from. Default: the origin of their issuer. */
  parentOrigin?: string | readonly string[] | ParentOriginCheck | undefined;
  /** The allowed error of the device's clock. The nonce proves freshness. Default 300,000. */
  clockToleranceMs?: number | undefined;
}

/** Only `true` or a promise of it accepts; an error refuses. The claims are verified already. */
type ParentOriginCheck = (origin: string, claims: InitClaims) => boolean | Promise<boolean>;

/**
 * Downloaded keys that have verified a token, by address. Users of one cache must have the same `jkuOrigins`,
 * because the address of a cached key is not compared with them again.
 */
export type DownloadedKeys = Map<string, readonly CryptoKey[]>;

/** The issuers and origins that a page believes. */
export interface Trust {
  readonly issuers: TrustedIssuers | undefined;
  readonly jkuOrigins: readonly string[];
  /** Undefined: the origin of a token's issuer. */
  readonly parentOrigin: readonly string[] | ParentOriginCheck | undefined;
  readonly clockToleranceMs: number;
  readonly downloaded: DownloadedKeys;
}

export type ReadTrustOptions = Defaulted<TrustOptions, 'issuers' | 'parentOrigin'>;

// biome-ignore lint/suspicious/noExplicitAny: the sender can write anything
type Header = { readonly [name: string]: any };

/** A token is valid for a minute. A lifetime of more than a day means times in milliseconds. */
const maxLifetimeSeconds = 86_400;

/** @throws PluginError ERR_OPTIONS */
export function readTrust(options: ReadTrustOptions): Trust {
  const { issuers } = options;
  // Without this check a list, or another wrong value, would accept every issuer.
  if (issuers !== undefined && !issuers?.findKeys) refuse('issuers', 'trustIssuers([...])');
  return {
    ...options,
    jkuOrigins: readOrigins(options.jkuOrigins, 'jkuOrigins'),
    parentOrigin: readParentOrigin(options.parentOrigin),
    downloaded: new Map(),
  };
}

/** A message that may contain a token for this page. */
export interface TokenMessage {
  readonly jwt: string;
  /** The origin of the page that sent it. */
  readonly origin: string;
  /** What the token has to be for. */
  readonly sub: 'init' | 'save';
  /** Stops the download of its key. */
  readonly signal: AbortSignal;
}

/**
 * Resolves with the claims of a verified token from a trusted sender.
 *
 * @throws PluginError ERR1 to ERR5, ERR7, ERR8; DOMException, SyntaxError or TypeError if it is not a token
 * at all
 */
export async function verifyToken(
  trust: Trust,
  { jwt, origin, sub, signal }: TokenMessage,
): Promise<InitClaims> {
  const [header, payload, signature, ...more] = jwt.split('.') as [string, string, string];
  if (!signature || more.length) fail('ERR2', 'Token has no signature');
  const {
    alg,
    typ = 'JWT',
    jku,
    // These do not affect the verification (RFC 7515 §4). Other unknown parameters might.
    kid: _kid,
    cty: _cty,
    x5t: _x5t,
    'x5t#S256': _x5tS256,
    ...others
  } = decodePart<Header>(header);
  const hash = hashOf(alg);
  if (!hash || typ?.toUpperCase?.() !== 'JWT' || Object.keys(others).length) {
    fail('ERR2', 'Token has wrong alg or header');
  }

  const pinned = await trust.issuers?.findKeys(decodePart<InitClaims>(payload).iss);
  let known = pinned?.keys ?? trust.downloaded.get(jku);
  // The key may have been replaced under the same name, here or in the browser's cache.
  for (const cache of ['default', 'reload'] as const) {
    const keys = known ?? (await downloadKeys(jku, trust.jkuOrigins, { signal, cache }));
    known = pinned?.keys;
    for (const key of keys) {
      const algorithm = key.algorithm as RsaHashedKeyAlgorithm;
      if (algorithm.hash.name !== hash) continue;
      const isGood = await crypto.subtle.verify(
        algorithm,
        key,
        toBytes(signature),
        new TextEncoder().encode(`${header}.${payload}`),
      );
      if (!isGood) continue;
      if (!pinned) trust.downloaded.set(jku, keys);
      const claims = checkClaims(readClaims(payload), sub, trust.clockToleranceMs);
      const isExpected = await isExpectedPage(trust, origin, claims).catch((cause) =>
        fail('ERR3', `parentOrigin: ${cause}`, cause),
      );
      if (!isExpected) fail('ERR3', `Not in parentOrigin: ${origin}`);
      return claims;
    }
  }
  return fail('ERR2', `Bad signature${pinned?.unusable ?? ''}`);
}

function readParentOrigin(option: TrustOptions['parentOrigin']): Trust['parentOrigin'] {
  const isRead = option === undefined || typeof option === 'function';
  return isRead ? option : readOrigins(option, 'parentOrigin');
}

async function isExpectedPage(
  { parentOrigin }: Trust,
  origin: string,
  claims: InitClaims,
): Promise<boolean> {
  return typeof parentOrigin === 'function'
    ? (await parentOrigin(origin, claims)) === true
    : (parentOrigin ?? [new URL(claims.iss).origin]).includes(origin);
}

/** @returns the claims, with the issuer in its canonical spelling */
function checkClaims(claims: InitClaims, sub: string, clockToleranceMs: number): InitClaims {
  const { iat, exp, nbf = iat, jti } = claims;
  const iss = canonicalIssuer(claims.iss);
  const areTimes =
    [iat, exp, nbf].every(Number.isFinite) && exp >= iat && exp - iat <= maxLifetimeSeconds;
  if (claims.sub !== sub || !iss || typeof jti !== 'string' || !jti || !areTimes) {
    fail('ERR3', 'Token has wrong sub, iss, jti or time');
  }
  assertOnTime('ERR4', Date.now() - exp * 1000, clockToleranceMs);
  assertOnTime('ERR5', Math.max(iat, nbf) * 1000 - Date.now(), clockToleranceMs);
  return { __proto__: null, ...claims, iss };
}

/** @throws PluginError with this code */
function assertOnTime(code: 'ERR4' | 'ERR5', offMs: number, clockToleranceMs: number): void {
  if (offMs > clockToleranceMs) fail(code, `Clock off by ${Math.round(offMs / 1000)} s: set it`);
}

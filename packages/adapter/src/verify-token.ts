/**
 * Decides whether a message of the embedding page is the platform's token for this page. Nothing in
 * it is believed before its signature is verified; issuer and key address are read earlier, to
 * choose the key that must have signed them.
 */
import { decodePart, type InitClaims, readClaims, toBytes } from './claims.ts';
import { canonicalIssuer, checkOptions, maxLength, readOrigins, refuse } from './options.ts';
import { fail } from './plugin-error.ts';
import { downloadKeys, hashOf, importKeys, type KeyDocument, wait } from './signing-keys.ts';

export interface Issuer {
  /** The `iss` of its tokens, with or without a last slash; a pattern must match all of it. */
  issuer: string | RegExp;
  /** Its keys. Without, the key is loaded from the token's `jku`. */
  keys?: readonly KeyDocument[] | undefined;
}

export interface TrustOptions {
  /** Whose tokens are believed. Default: everybody's whose key is at one of `jkuOrigins`. */
  issuers?: readonly Issuer[] | undefined;
  /** Origins whose key documents may be loaded, such as `https://keys.example.com`. Default: none. */
  jkuOrigins?: readonly string[] | undefined;
  /** The pages that tokens may come from. Default: the origin of their issuer. */
  parentOrigin?: string | readonly string[] | ParentOriginCheck | undefined;
  /** How wrong the device's clock may be; freshness comes from the nonce. Default 300,000. */
  clockToleranceMs?: number | undefined;
}

/** Only `true` counts, at once or by a promise; an error counts as no. The claims are verified. */
type ParentOriginCheck = (origin: string, claims: InitClaims) => boolean | Promise<boolean>;

/**
 * Resolves with the claims of a token whose text and sender are believed.
 *
 * @throws PluginError ERR1 to ERR5, ERR7, ERR8; DOMException, SyntaxError or TypeError for what is
 * not a token at all
 */
export type VerifyToken = (
  message: MessageEvent,
  sub: 'init' | 'save',
  signal: AbortSignal,
) => Promise<InitClaims>;

/** A token is for a minute; one for longer than a day has times in milliseconds. */
const maxLifetimeSeconds = 86_400;
/**
 * Keys that were downloaded and have verified a token, by their address. What shares one must have
 * the same `jkuOrigins`: the address of a key that is in it is not compared with them again.
 */
export type DownloadedKeys = Map<string, CryptoKey[]>;

/**
 * Imports the pinned keys in the next task, so that the hello goes first: that takes milliseconds,
 * which the host needs to sign anyway.
 *
 * @param downloaded shares downloaded keys with others that have the same `jkuOrigins`
 * @param warn is told of a pinned key that is unusable
 * @throws PluginError ERR_OPTIONS
 */
export function createVerifier(
  options: TrustOptions,
  downloaded: DownloadedKeys = new Map(),
  warn?: (diagnosis: string) => void,
): VerifyToken {
  const { clockToleranceMs = 300_000 } = options;
  const jkuOrigins = readOrigins(options.jkuOrigins ?? [], 'jkuOrigins');
  const isExpectedPage = readParentOrigin(options.parentOrigin);
  const unusable: string[] = [];
  const issuers = options.issuers?.map((entry, index) => {
    const path = `issuers[${index}].`;
    checkOptions(entry, { issuer: 'string or object', keys: 'list' }, path);
    return {
      isMatch: readIssuer(entry.issuer, path),
      pinned:
        entry.keys &&
        Promise.all(entry.keys.map((key, at) => importPinned(key, `${path}keys[${at}]`))),
    };
  });

  /** One unusable key does not disable the others. */
  async function importPinned(document: KeyDocument, name: string): Promise<CryptoKey[]> {
    try {
      await wait();
      return await importKeys(document);
    } catch (error) {
      const diagnosis = `${name} is unusable: ${error as Error}`;
      unusable.push(diagnosis);
      warn?.(diagnosis);
      return [];
    }
  }

  return async ({ data, origin }, sub, signal) => {
    const [header, payload, signature, more] = data.split('.') as [string, string, string, unknown];
    if (!signature || more != null) fail('ERR2', 'Not signed');
    const { alg, typ = 'JWT', jku, kid: _kid, ...others } = Object(decodePart(header));
    const hash = hashOf(alg);
    if (!hash || typ?.toUpperCase?.() !== 'JWT' || Object.keys(others).some(isCritical)) {
      fail('ERR2', 'Bad header');
    }
    const iss = issuers && decodePart<InitClaims>(payload).iss;
    const trusted = issuers?.find(({ isMatch }) =>
      isMatch(canonicalIssuer(iss) ?? `${iss}`.slice(0, maxLength)),
    );
    if (issuers && !trusted) fail('ERR1', `Issuer ${iss} is not in issuers`);
    const pinned = (await trusted?.pinned)?.flat();
    let known = pinned ?? downloaded.get(jku);
    // The key may have been replaced under its old name, here or in the browser's cache.
    for (const cache of ['default', 'reload'] as const) {
      const keys = known ?? (await downloadKeys(jku, jkuOrigins, { signal, cache }));
      known = pinned;
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
        if (!pinned) downloaded.set(jku, keys);
        const claims = checkClaims(await readClaims(payload), sub, clockToleranceMs);
        await assertExpectedPage(isExpectedPage, origin, claims);
        return claims;
      }
    }
    return fail(pinned?.length === 0 ? 'ERR7' : 'ERR2', ['Bad signature', ...unusable].join('; '));
  };
}

/** `cty` and the thumbprints change nothing (RFC 7515 §4); whatever else is unknown might. */
function isCritical(name: string): boolean {
  return !/^(cty|x5t(#S256)?)$/.test(name);
}

function isPageOfIssuer(origin: string, { iss }: InitClaims): boolean {
  return origin === new URL(iss).origin;
}

function readParentOrigin(
  option: TrustOptions['parentOrigin'] = isPageOfIssuer,
): ParentOriginCheck {
  if (typeof option === 'function') return option;
  const origins = readOrigins(option, 'parentOrigin');
  return (origin) => origins.includes(origin);
}

/** @throws PluginError ERR3 for a page that tokens may not come from */
async function assertExpectedPage(
  isExpectedPage: ParentOriginCheck,
  origin: string,
  claims: InitClaims,
): Promise<void> {
  let isExpected = false;
  try {
    isExpected = (await isExpectedPage(origin, claims)) === true;
  } catch (cause) {
    fail('ERR3', `parentOrigin: ${cause as Error}`, cause);
  }
  if (!isExpected) fail('ERR3', `Page ${origin} is not in parentOrigin`);
}

/** @returns whether this is the issuer of a token, whose `iss` is in its one spelling */
function readIssuer(issuer: string | RegExp, path: string): (iss: string) => boolean {
  if (issuer instanceof RegExp) {
    const whole = `^(?:${issuer.source})$`;
    return (iss) => [iss, `${iss}/`].some((each) => RegExp(whole, issuer.flags).test(each));
  }
  const expected = canonicalIssuer(issuer) ?? refuse(`${path}issuer`, 'a URL or a pattern');
  return (iss) => iss === expected;
}

/** @returns the claims with their issuer in its one spelling */
function checkClaims(claims: InitClaims, sub: string, clockToleranceMs: number): InitClaims {
  const { iat, exp, nbf = iat, jti } = claims;
  const iss = canonicalIssuer(claims.iss);
  const isLifetime = exp >= iat && exp - iat <= maxLifetimeSeconds;
  const areTimes = [iat, exp, nbf].every(Number.isFinite) && isLifetime;
  if (claims.sub !== sub || !iss || !jti || typeof jti !== 'string' || !areTimes) {
    fail('ERR3', `Bad claims for ${sub}`);
  }
  const seconds = Date.now() / 1000;
  const late = seconds - exp;
  const early = Math.max(iat, nbf) - seconds;
  const off = Math.max(late, early);
  if (off * 1000 > clockToleranceMs) {
    fail(late > early ? 'ERR4' : 'ERR5', `Clock off by ${Math.round(off)} s: set it`);
  }
  return Object.assign(claims, { iss });
}

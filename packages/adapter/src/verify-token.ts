/**
 * Decides whether a message of the embedding page is the platform's token for this page. Nothing in
 * it is believed before its signature is verified; issuer and key address are read earlier, to
 * choose the key that must have signed them.
 */
import { type InitClaims, peek, readClaims, toBytes } from './claims.ts';
import { fail } from './plugin-error.ts';
import { downloadKey, importKey, inNextTask, type KeyDocument } from './signing-keys.ts';

export interface Issuer {
  /** The `iss` of its tokens; a pattern must match all of it. */
  issuer: string | RegExp;
  /** Its keys. Without, the key is loaded from the token's `jku`. */
  keys?: readonly KeyDocument[];
}

export interface TrustOptions {
  /** Whose tokens are believed. Default: everybody's whose key is at one of `jkuOrigins`. */
  issuers?: readonly Issuer[] | undefined;
  /** Origins whose key documents may be loaded, such as `https://keys.example.com`. Default: none. */
  jkuOrigins?: readonly string[] | undefined;
  /** The pages that tokens may come from. Default: the origin of their issuer. */
  parentOrigin?:
    | string
    | readonly string[]
    | ((origin: string, claims: InitClaims) => boolean)
    | undefined;
  /** How wrong the device's clock may be; freshness comes from the nonce. Default 300,000. */
  clockToleranceMs?: number | undefined;
}

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

interface Header {
  alg: string;
  typ?: string;
  jku: string;
  kid?: string;
}

/**
 * Imports the pinned keys in the next task, so that the hello goes first: that takes milliseconds,
 * which the host needs to sign anyway.
 */
export function createVerifier(options: TrustOptions): VerifyToken {
  const { issuers, jkuOrigins = [], parentOrigin, clockToleranceMs = 300_000 } = options;
  const downloaded = new Map<string, [CryptoKey]>();
  const pinned = issuers?.map(({ issuer, keys }) => {
    const imported =
      keys &&
      quietly(
        Promise.all(keys.map(inNextTask).map(importKey)).catch((cause) =>
          fail('ERR7', 'Bad key', cause),
        ),
      );
    return [issuer, imported] as const;
  });

  function checkClaims(claims: InitClaims, sub: string, origin: string): InitClaims {
    const { iss, iat, exp, nbf = iat } = claims;
    if (claims.sub !== sub || ![iat, exp, nbf].every(Number.isFinite)) {
      fail('ERR3', `Bad claims for ${sub}`);
    }
    const expected = parentOrigin ?? new URL(iss).origin;
    const isExpected =
      typeof expected === 'function'
        ? expected(origin, claims)
        : [expected].flat().includes(origin);
    if (!isExpected) fail('ERR3', `Page ${origin} is not in parentOrigin`);
    const seconds = Date.now() / 1000;
    const late = seconds - exp;
    const off = Math.max(late, iat - seconds, nbf - seconds);
    if (off * 1000 > clockToleranceMs) {
      fail(off === late ? 'ERR4' : 'ERR5', `Clock off by ${Math.round(off)} s: set it`);
    }
    return claims;
  }

  return async ({ data, origin }, sub, signal) => {
    const [header, payload, signature, more] = data.split('.') as [string, string, string, unknown];
    if (!signature || more != null) fail('ERR2', 'Not signed');
    const { alg, typ = 'JWT', jku, kid: _kid, ...others } = peek<Header>(header);
    if (!/^RS(256|384|512)$/.test(alg) || typ !== 'JWT' || Object.keys(others)[0]) {
      fail('ERR2', 'Bad header');
    }
    const iss = pinned && peek<InitClaims>(payload).iss;
    const entry = pinned?.find(([issuer]) => isMatch(issuer, iss as string));
    if (pinned && !entry) fail('ERR1', `Issuer ${iss} is not in issuers`);
    let known = downloaded.get(jku);
    // The key may have been replaced under its old name, here or in the browser's cache.
    for (const cache of ['default', 'reload'] as const) {
      const keys = entry?.[1] ?? known ?? downloadKey(jku, jkuOrigins, { signal, cache });
      known = undefined;
      // Read while the key is on its way, but believed, or refused, only once the signature is good.
      const claims = quietly(readClaims(payload));
      for (const key of await keys) {
        const algorithm = key.algorithm as RsaHashedKeyAlgorithm;
        if (algorithm.hash.name !== `SHA-${alg.slice(2)}`) continue;
        const isGood = await crypto.subtle.verify(
          algorithm,
          key,
          toBytes(signature),
          new TextEncoder().encode(`${header}.${payload}`),
        );
        if (!isGood) continue;
        if (!entry?.[1]) downloaded.set(jku, [key]);
        return checkClaims(await claims, sub, origin);
      }
    }
    return fail('ERR2', 'Bad signature');
  };
}

/** Its failure is told to whoever awaits it, and is nobody's else. */
export function quietly<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => {});
  return promise;
}

function isMatch(issuer: string | RegExp, iss: string): unknown {
  const { source, flags } = issuer as RegExp;
  return source ? RegExp(`^(?:${source})$`, flags).test(iss) : issuer === iss;
}

/**
 * The platform's public keys: pinned in the options, or at the address in a token's header (`jku`). That
 * address comes from an unverified token, so it is compared with the allow list before anything is fetched.
 * Key documents have the same rules as in the back end (packages/platform-jwt).
 */
import { parseAddress } from './options.ts';
import { fail } from './plugin-error.ts';

/** The platform's key document, a bare JWK that names its `alg`, or a JWKS. RSA, 2048 bits or more. */
export type KeyDocument =
  | JsonWebKey
  | { alg: { name: string; hash: { name: string } }; key: JsonWebKey }
  | { keys: readonly JsonWebKey[] };

const algorithms = ['RS256', 'RS384', 'RS512'];
const schemeName = 'RSASSA-PKCS1-v1_5';
const maxDocumentLength = 65_536;

/** Waits at least until the next task, so that work in progress continues first. */
export function wait(ms = 0): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The hash of RS256, RS384 or RS512; undefined for any other algorithm. */
export function hashOf(alg: unknown): string | undefined {
  return algorithms.includes(alg as string) ? (alg as string).replace('RS', 'SHA-') : undefined;
}

/**
 * A JWKS may contain keys for other purposes, but no private key: it was published by mistake, and an
 * attacker may have it.
 *
 * @throws Error that explains why there is no usable key
 */
export async function importKeys(document: unknown): Promise<CryptoKey[]> {
  const { alg, key, keys = [key ?? document] } = Object(document);
  const jwks: JsonWebKey[] = [keys].flat().map(Object);
  if (jwks.some(({ d, k }) => d ?? k)) throw Error('Private key');
  const ours = jwks.filter(
    (jwk) => jwk.kty === 'RSA' && (key ? alg?.name === schemeName : hashOf(jwk.alg)),
  );
  if (!ours[0]) throw Error(`No key for ${algorithms.join()}`);
  return Promise.all(ours.map((jwk) => importKey(jwk, key ? alg.hash : hashOf(jwk.alg))));
}

/** The browser refuses a key for another purpose (W3C WebCrypto §20.8). */
async function importKey(jwk: JsonWebKey, hash: AlgorithmIdentifier): Promise<CryptoKey> {
  const algorithm = { name: schemeName, hash };
  const key = await crypto.subtle.importKey('jwk', jwk, algorithm, false, ['verify']);
  const rsa = key.algorithm as RsaKeyAlgorithm;
  // 65,537 is the smallest accepted exponent. It has three bytes.
  if (rsa.modulusLength < 2048 || rsa.publicExponent.length < 3) throw Error('Weak key');
  return key;
}

/**
 * @throws PluginError ERR1 no address, ERR8 untrusted address (nothing was fetched), ERR7 no usable
 * key behind it
 */
export async function downloadKeys(
  jku: string | undefined,
  jkuOrigins: readonly string[],
  init: RequestInit & { signal: AbortSignal },
): Promise<CryptoKey[]> {
  if (jku === undefined) fail('ERR1', 'Token has no jku');
  const address = parseAddress(jku);
  if (!address || !jkuOrigins.includes(address.origin)) fail('ERR8', `Not in jkuOrigins: ${jku}`);
  try {
    const response = await fetch(address.href, { ...init, credentials: 'omit', redirect: 'error' });
    if (!response.ok) throw Error(`HTTP ${response.status}`);
    return await importKeys(await readBounded(response));
  } catch (cause) {
    // For a CSP or missing CORS the browser only reports `Failed to fetch`.
    return fail('ERR7', `No key (CSP? CORS?): ${cause as Error} ${address}`, cause);
  }
}

/** A byte-order mark before the JSON is skipped (RFC 8259 §8.1). */
async function readBounded({ body }: Response): Promise<unknown> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  while (text.length <= maxDocumentLength) {
    const chunk = await reader?.read();
    if (!chunk?.value) return JSON.parse(text);
    text += decoder.decode(chunk.value, { stream: true });
  }
  void reader?.cancel();
  throw Error('Too long');
}

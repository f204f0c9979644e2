/**
 * The platform's public keys: pinned in the options, or behind the address in a token's header
 * (`jku`). That address comes from an unverified token, so it is compared with the allow list before
 * anything is fetched.
 */
import { fail } from './plugin-error.ts';

/** The platform's key document, or a bare JWK that names its `alg`. RSA, 2048 bits or more. */
export type KeyDocument =
  | JsonWebKey
  | { alg: { name: string; hash: { name: string } }; key: JsonWebKey };

interface AnyKeyDocument {
  alg: string & { hash?: { name: string } };
  key?: JsonWebKey;
}

const maxDocumentBytes = 65_536;

/** Hands on a value in a task of its own: what was begun before goes first. */
export function inNextTask<Value>(value?: Value): Promise<Value> {
  return new Promise((resolve) => setTimeout(resolve, 0, value));
}

/** The browser refuses a JWK whose own `alg` or `use` disagrees (W3C WebCrypto §20.8). */
export async function importKey(document: unknown): Promise<CryptoKey> {
  const known = (await document) as AnyKeyDocument;
  const { alg, key: jwk = known as JsonWebKey } = known;
  const key = await crypto.subtle.importKey(
    'jwk',
    jwk,
    { name: 'RSASSA-PKCS1-v1_5', hash: alg.hash ?? `SHA-${alg.slice(2)}` },
    false,
    ['verify'],
  );
  if ((key.algorithm as RsaKeyAlgorithm).modulusLength < 2048) throw Error('Weak key');
  return key;
}

/** @throws PluginError ERR8 untrusted address (nothing was fetched), ERR7 no usable key behind it */
export async function downloadKey(
  jku: string,
  jkuOrigins: readonly string[],
  init: RequestInit & { signal: AbortSignal },
): Promise<[CryptoKey]> {
  // An origin and a slash: after them, no parser can read another host into the address.
  const isListed = jkuOrigins.some((each) => `${jku}`.startsWith(`${new URL(each).origin}/`));
  if (!isListed) fail('ERR8', `Key ${jku} is not in jkuOrigins`);
  let why: string | undefined;
  document.addEventListener('securitypolicyviolation', () => (why = 'not in the CSP'), init);
  try {
    const response = await fetch(jku, { ...init, credentials: 'omit', redirect: 'error' });
    if (!response.ok) throw Error(`HTTP ${response.status}`);
    return [await importKey(readBounded(response))];
  } catch (cause) {
    // A violation is reported in a task of its own.
    await inNextTask();
    return fail('ERR7', `No key from ${jku}: ${why ?? (cause as Error)}`, cause);
  }
}

/** One character for each byte: what counts in a key is ASCII. */
export async function readBounded({ body }: Response): Promise<AnyKeyDocument> {
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  let text = '';
  while (text.length <= maxDocumentBytes) {
    const { value } = await reader.read();
    if (!value) return JSON.parse(text);
    text += String.fromCharCode(...value);
  }
  void reader.cancel();
  throw Error('Too long');
}

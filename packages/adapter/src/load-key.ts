/**
 * Loads the platform's public key from the address in a token's header (`jku`). The address comes
 * from an unverified token, so it is compared with the allow list before anything is fetched.
 */
import { PluginError } from './plugin-error.ts';

export interface LoadKeyOptions {
  keyOrigins: readonly string[];
  fetch: typeof fetch;
  signal: AbortSignal;
}

export interface SigningKey {
  key: CryptoKey;
  /** The JWS name of the only algorithm the key may be used with. */
  alg: string;
}

const maxDocumentBytes = 64 * 1024;
const minModulusBits = 2048;
const algOfHash: Record<string, string | undefined> = {
  'SHA-256': 'RS256',
  'SHA-384': 'RS384',
  'SHA-512': 'RS512',
};

/** @throws PluginError ERR8 untrusted address (nothing was fetched), ERR7 no usable key behind it */
export async function loadKey(jku: unknown, options: LoadKeyOptions): Promise<SigningKey> {
  const url = trustedKeyUrl(jku, options.keyOrigins);
  try {
    return await importKeyDocument(JSON.parse(await download(url, options)));
  } catch (cause) {
    throw new PluginError('ERR7', `The key at ${url.origin} could not be loaded.`, cause);
  }
}

/**
 * Exact origin of the parsed address. The address must also be spelled as the parser spells it, so
 * that no other parser can read another host out of it.
 */
function trustedKeyUrl(jku: unknown, keyOrigins: readonly string[]): URL {
  if (typeof jku !== 'string') throw untrusted('The token names no key.');
  const url = parseUrl(jku);
  if (url === undefined || url.href !== jku)
    throw untrusted('The address of the key is malformed.');
  if (url.username !== '' || url.password !== '') {
    throw untrusted('The address of the key carries user information.');
  }
  const isListed = keyOrigins.some((origin) => parseUrl(origin)?.origin === url.origin);
  if (!isListed || !isSecure(url))
    throw untrusted(`The key is at ${url.origin}, which is not listed.`);
  return url;
}

function isSecure({ protocol, hostname }: URL): boolean {
  const isLoopback = hostname === 'localhost' || hostname === '127.0.0.1';
  return protocol === 'https:' || (protocol === 'http:' && isLoopback);
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

async function download(url: URL, options: LoadKeyOptions): Promise<string> {
  const response = await options.fetch(url.href, {
    credentials: 'omit',
    redirect: 'error',
    referrerPolicy: 'no-referrer',
    signal: options.signal,
  });
  if (!response.ok || response.body === null) throw new Error(`HTTP status ${response.status}`);
  return readBounded(response.body);
}

async function readBounded(body: ReadableStream<Uint8Array>): Promise<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > maxDocumentBytes) {
      void reader.cancel().catch(() => {});
      throw new Error(`The document is larger than ${maxDocumentBytes} bytes`);
    }
    text += decoder.decode(value, { stream: true });
  }
}

interface KeyDocument {
  alg?: { name?: unknown; hash?: { name?: unknown } };
  key?: { kty?: unknown; n?: unknown; e?: unknown; alg?: unknown };
}

async function importKeyDocument(document: KeyDocument | null): Promise<SigningKey> {
  const name = document?.alg?.name;
  const hash = document?.alg?.hash?.name;
  const { kty, n, e, alg: keyAlg } = document?.key ?? {};
  const alg = typeof hash === 'string' && Object.hasOwn(algOfHash, hash) && algOfHash[hash];
  if (name !== 'RSASSA-PKCS1-v1_5' || !alg || (keyAlg !== undefined && keyAlg !== alg)) {
    throw new Error('The document names no supported algorithm');
  }
  if (kty !== 'RSA' || typeof n !== 'string' || typeof e !== 'string') {
    throw new Error('The document holds no RSA key');
  }
  const key = await crypto.subtle.importKey('jwk', { kty, n, e }, { name, hash }, false, [
    'verify',
  ]);
  const { modulusLength } = key.algorithm as RsaHashedKeyAlgorithm;
  if (modulusLength < minModulusBits) throw new Error(`The key has only ${modulusLength} bits`);
  return { key, alg };
}

function untrusted(diagnosis: string): PluginError {
  return new PluginError('ERR8', diagnosis);
}

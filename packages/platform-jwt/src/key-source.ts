/**
 * Loads the key documents behind `jku` and keeps them. The caller has checked the location; this
 * module bounds what a key host can do: size, time, redirects, and how often it is asked.
 */
import { keyDocumentSchema } from '@dowel/schema';
import { type CryptoKey, importJWK } from 'jose';
import type { Algorithm } from './compact-jws.ts';
import { PlatformJwtError } from './errors.ts';

const maxDocumentBytes = 65_536;
const fetchTimeoutMs = 5_000;
const keyLifetimeMs = 24 * 60 * 60 * 1000;

export interface PlatformKey {
  alg: Algorithm;
  key: CryptoKey;
}

export interface KeySourceOptions {
  fetch: typeof fetch;
  now: () => number;
}

/** One key per location, loaded once however many tokens ask for it at the same time. */
export function createKeySource({ fetch, now }: KeySourceOptions) {
  const loaded = new Map<string, { loadedAt: number; key: PlatformKey }>();
  const loading = new Map<string, Promise<PlatformKey>>();

  async function load(jku: string): Promise<PlatformKey> {
    const key = await importKey(await fetchDocument(fetch, jku));
    loaded.set(jku, { loadedAt: now(), key });
    return key;
  }

  return {
    /** @throws PlatformJwtError `key_fetch_failed` or `key_not_acceptable`. */
    async get(jku: string): Promise<PlatformKey> {
      const known = loaded.get(jku);
      if (known && now() - known.loadedAt < keyLifetimeMs) return known.key;
      let flight = loading.get(jku);
      if (!flight) {
        flight = load(jku).finally(() => loading.delete(jku));
        loading.set(jku, flight);
      }
      return flight;
    },
  };
}

async function fetchDocument(fetch: KeySourceOptions['fetch'], jku: string): Promise<unknown> {
  try {
    const response = await fetch(jku, {
      redirect: 'error',
      signal: AbortSignal.timeout(fetchTimeoutMs),
      headers: { accept: 'application/json' },
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new TypeError(`The key host answered ${response.status}`);
    }
    return JSON.parse(await readBounded(response));
  } catch (cause) {
    throw new PlatformJwtError('key_fetch_failed', { cause });
  }
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxDocumentBytes) throw new TypeError('The key document is larger than 64 KiB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function importKey(document: unknown): Promise<PlatformKey> {
  const parsed = keyDocumentSchema.safeParse(document);
  if (!parsed.success) throw new PlatformJwtError('key_not_acceptable', { cause: parsed.error });
  const { kty, n, e, alg } = parsed.data.key;
  const modulusBits = Buffer.from(n, 'base64url').length * 8;
  if (modulusBits < 2048 || e !== 'AQAB' || 'd' in parsed.data.key) {
    throw new PlatformJwtError('key_not_acceptable');
  }
  const hashBits = parsed.data.alg.hash.name.slice('SHA-'.length);
  if (alg !== `RS${hashBits}`) throw new PlatformJwtError('key_not_acceptable');
  try {
    return { alg, key: (await importJWK({ kty, n, e, alg }, alg)) as CryptoKey };
  } catch (cause) {
    throw new PlatformJwtError('key_not_acceptable', { cause });
  }
}

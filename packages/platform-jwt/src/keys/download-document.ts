/**
 * Downloads one key document. The caller has checked the location. This code limits what the host can
 * do: redirects, size, time, encodings, depth.
 */
import { readBounded } from '@dowel/http';
import { type JsonValue, parseStrictJson } from '../jws/strict-json.ts';

const maxDocumentBytes = 65_536;

export interface DownloadOptions {
  fetch: typeof globalThis.fetch;
  /** The time limit for connection, headers and body together. */
  timeoutMs: number;
}

/** @throws Error unless the answer is a small, plain JSON document with status 200. */
export async function downloadDocument(
  location: string,
  { fetch, timeoutMs }: DownloadOptions,
): Promise<JsonValue> {
  const response = await fetch(location, {
    // control B04
    redirect: 'error',
    credentials: 'omit',
    signal: AbortSignal.timeout(timeoutMs),
    headers: { accept: 'application/json', 'accept-encoding': 'identity' },
  });
  const encoding = response.headers.get('content-encoding') ?? 'identity';
  // control B07
  if (response.status !== 200 || encoding !== 'identity') {
    await response.body?.cancel();
    throw new TypeError(`The key host answered ${response.status} with encoding ${encoding}`);
  }
  const bytes = await readBounded(response.body, maxDocumentBytes);
  // The decoder skips a byte-order mark, as RFC 8259 §8.1 allows.
  return parseStrictJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
}

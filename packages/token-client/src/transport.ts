/** HTTP by undici: each origin has its own connections, so that a slow one stops no other. */
import { Agent, fetch as undiciFetch } from 'undici';

/** Shorter than any token request: one that ends while it still connects was surely not sent. */
const connectTimeoutMs = 3_000;

export interface TransportOptions {
  /** Default: no limit. */
  connectionsPerOrigin?: number;
  /** Until the headers of an answer, and between two pieces of its body. */
  timeoutMs: number;
}

export function createTransport(options: TransportOptions): typeof globalThis.fetch {
  const { connectionsPerOrigin, timeoutMs } = options;
  const dispatcher = new Agent({
    connections: connectionsPerOrigin ?? null,
    connect: { timeout: connectTimeoutMs },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });
  const fetch: typeof undiciFetch = (input, init) => undiciFetch(input, { ...init, dispatcher });
  // The same standard function, typed twice: by undici, and by Node's types of its bundled undici.
  return fetch as unknown as typeof globalThis.fetch;
}

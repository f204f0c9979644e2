/** Messages between the runner, the host's page and the frames. */

export type KeyDelivery = 'pinned' | 'jku';

interface KeyDocument {
  alg: { name: string; hash: { name: string } };
  key: JsonWebKey;
}

/** Passed to each frame in its address, as JSON. */
export interface FrameSetting {
  contender: string;
  srcId: string;
  hostOrigin: string;
  keyDelivery: KeyDelivery;
  keyDocument: KeyDocument;
  keyOrigin: string;
  /** Handshakes after the first. */
  warmRuns: number;
}

/** Each call makes one handshake, and resolves with the nonce of the accepted answer. */
export type Contender = (setting: FrameSetting) => () => Promise<string>;

export interface Sample {
  jti: string;
  totalMs: number;
}

/** One page's handshakes without the time that the host took to sign; the first was cold. */
export type PageTimes = number[];

export function jtiOf(token: string): string {
  const [, payload = ''] = token.split('.');
  return JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))).jti;
}

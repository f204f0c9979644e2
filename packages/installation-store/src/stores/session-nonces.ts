/**
 * Nonces for the `jti` of init JWTs. A nonce contains the end of its time, and a mark that is made with a key
 * of the database, so nothing is stored for it. The session that it opens is stored with it: session-store.ts.
 */
import { randomBytes } from 'node:crypto';
import type { StoreContext } from './store-context.ts';

/** The plug-in and the time that a session nonce is made for. */
export interface SessionNonce {
  /** The plug-in's name in the store; '' for the only one. */
  plugin: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

type Context = Pick<StoreContext, 'keyring'>;

const randomNonceBytes = 16;
const purpose = 'session nonce';
/** Random bits, the end in milliseconds, and the mark with the id of its key. */
const noncePattern = /^(?<random>[\w-]{22})\.(?<end>\d{1,15})\.(?<mark>[0-9a-f]{8}\.[\w-]{22})$/;

/** At most 70 characters: platforms echo about as many today. */
export function createNonce({ keyring }: Context, { plugin, expiresAt }: SessionNonce): string {
  const random = randomBytes(randomNonceBytes).toString('base64url');
  const mark = keyring.authenticate(describeNonce(random, { plugin, expiresAt }), purpose);
  return `${random}.${expiresAt}.${mark}`;
}

/** Whether a process with one of the database's keys made this nonce for this plug-in, and it has not expired. */
export function isNonceFresh(
  { keyring }: Context,
  nonce: string,
  { plugin, now }: { plugin: string; now: number },
): boolean {
  const { random = '', end = '', mark = '' } = noncePattern.exec(nonce)?.groups ?? {};
  const expiresAt = Number(end);
  // Digits that are no number's own spelling would be a second nonce with the same mark.
  // control G02
  if (String(expiresAt) !== end || now >= expiresAt) return false;
  return keyring.isAuthentic(mark, describeNonce(random, { plugin, expiresAt }), purpose);
}

function describeNonce(random: string, { plugin, expiresAt }: SessionNonce): string {
  return JSON.stringify([plugin, expiresAt, random]);
}

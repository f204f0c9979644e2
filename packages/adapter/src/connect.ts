import {
  type HandshakeOptions,
  handshakeDefaults,
  type InitRequest,
  readPage,
  shakeHands,
  type VerifiedInit,
} from './handshake.ts';
import { readOptions } from './options.ts';

/**
 * The handshake alone, for a page that only has to know who its user is. It costs 3 KB.
 *
 * @example
 * const { claims, initJwt } = await connect({ jkuOrigins: ['https://keys.example.com'] });
 *
 * @throws PluginError ERR0 to ERR8, ERR_NOT_EMBEDDED, ERR_ABORTED, ERR_OPTIONS; once
 */
export async function connect<Context = unknown>(
  given: HandshakeOptions & InitRequest,
): Promise<VerifiedInit<Context>> {
  const options = readOptions(given, {
    ...handshakeDefaults,
    signal: new AbortController().signal, // Never aborts.
  });
  return shakeHands(readPage(options), options) as Promise<VerifiedInit<Context>>;
}

import {
  createHandshake,
  type HandshakeOptions,
  type InitRequest,
  type VerifiedInit,
} from './handshake.ts';
import { checkOptions, handshakeOptions } from './options.ts';

/**
 * The handshake alone, for a page that only has to know who its user is. It costs 3.5 KB.
 *
 * @throws PluginError ERR0 to ERR8, ERR_NOT_EMBEDDED, ERR_ABORTED, ERR_OPTIONS; once
 */
export async function connect<Context = unknown>(
  options: HandshakeOptions & InitRequest,
): Promise<VerifiedInit<Context>> {
  checkOptions(options, { ...handshakeOptions, signal: 'object' });
  const verified = await createHandshake(options).shakeHands(options);
  return verified as VerifiedInit<Context>;
}

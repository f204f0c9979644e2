import {
  createHandshake,
  type HandshakeOptions,
  type InitRequest,
  type VerifiedInit,
} from './handshake.ts';

/**
 * The handshake alone, for a page that only has to know who its user is. It costs 2.5 KB.
 *
 * @throws PluginError ERR0 to ERR8, ERR_NOT_EMBEDDED, ERR_ABORTED; once
 */
export function connect(options: HandshakeOptions & InitRequest): Promise<VerifiedInit> {
  const [shakeHands] = createHandshake(options);
  return shakeHands(options);
}

/** The browser adapter. Importing it has no effect and needs no window. */
export type { AdapterOptions } from './adapter-context.ts';
export type { InitClaims, InitContext } from './claims.ts';
export { connect } from './connect.ts';
export {
  type Adapter,
  type ConfigInit,
  createAdapter,
  type Init,
  type MainInit,
} from './create-adapter.ts';
export type { HandshakeOptions, InitRequest, VerifiedInit, View } from './handshake.ts';
export type { TokenRequest } from './init-token.ts';
export { type NonceSource, nonceFrom } from './nonce-from.ts';
export { observeHeight } from './observe-height.ts';
export { PluginError, type PluginErrorCode } from './plugin-error.ts';
export { renderError } from './render-error.ts';
export type { SaveAnswer, SaveHandler } from './save.ts';
export type { Session, SessionOptions } from './session.ts';
export type { KeyDocument } from './signing-keys.ts';
export { type Issuer, type TrustedIssuers, trustIssuers } from './trust-issuers.ts';
export type { TrustOptions } from './verify-token.ts';

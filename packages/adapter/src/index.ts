/** The browser adapter, as a table of contents. Importing it does nothing and touches no window. */
export type { InitClaims, InitContext } from './claims.ts';
export { connect } from './connect.ts';
export {
  type Adapter,
  type AdapterOptions,
  type ConfigInit,
  createAdapter,
  type Init,
  type MainInit,
} from './create-adapter.ts';
export type { HandshakeOptions, InitRequest, VerifiedInit, View } from './handshake.ts';
export { PluginError, type PluginErrorCode } from './plugin-error.ts';
export { renderError } from './render-error.ts';
export type { SaveAnswer, SaveHandler } from './save.ts';
export type { Session, SessionClient, SessionOptions } from './session.ts';
export type { KeyDocument } from './signing-keys.ts';
export type { Issuer, TrustOptions } from './verify-token.ts';

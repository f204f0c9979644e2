/** The browser adapter, as a table of contents. Importing it does nothing and touches no window. */
export { type Connection, type ConnectOptions, connect } from './connect.ts';
export type { InitClaims, InitContext } from './nest-claims.ts';
export { PluginError, type PluginErrorCode } from './plugin-error.ts';

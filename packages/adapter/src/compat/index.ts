/** A drop-in for `@coyoapp/plugin-adapter` 0.3.1: the same calls and results, strict inside. */
export type { KeyDocument as Jwk } from '../signing-keys.ts';
export { JwkStore } from './jwk-store.ts';
export type { JwtClaims, JwtHeader } from './jwt.ts';
export { PluginAdapter, type PluginResponse, type Respond } from './plugin-adapter.ts';
export { PluginError } from './plugin-error.ts';
export type { PluginAdapterOptions } from './plugin-view.ts';

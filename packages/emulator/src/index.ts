/** An emulated platform: tenants, signed events, tokens, notifications, and an API to control them. */
export { lenientRules, type Rules, strictRules } from './authorization-server/index.ts';
export { compareManifests, type ManifestChange } from './compare-manifests.ts';
export * from './control-api.ts';
export type { Tolerance } from './environment.ts';
export {
  InstallationFailedError,
  PlatformError,
  type PlatformErrorCode,
  SnapshotError,
} from './errors.ts';
export type { EventOperations, InstallationKey, PreparedEvent } from './event-operations.ts';
export type { ExchangeFilter } from './exchange-log.ts';
export type { FaultSwitch } from './faults.ts';
export { maskHeaders, maskSecrets } from './mask-secrets.ts';
export type { Operations } from './operations.ts';
export type { OwnRoute } from './own-route.ts';
export { createPlatform, type Platform, type PlatformOptions } from './platform.ts';
export type { EventChange } from './prepare-event.ts';
export { generateSigningKey, type SigningKey } from './signing-key.ts';
export type { SigningKeyName } from './signing-keys.ts';
export { parseSnapshot, type Snapshot } from './snapshot.ts';
export { seedTenants, type TenantSeed } from './tenants.ts';

export * from './control-api.ts';
export { InstallationFailedError, PlatformError, type PlatformErrorCode } from './errors.ts';
export type { InstallationKey, Operations } from './operations.ts';
export { createPlatform, type Platform, type PlatformOptions } from './platform.ts';
export { seedTenants, type TenantSeed } from './tenants.ts';

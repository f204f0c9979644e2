/** Wire shapes of platform and BFF as zod schemas with inferred types. No I/O. */
export * from './accounts-api.ts';
export * from './action-reason.ts';
export * from './admin-actions.ts';
export * from './admin-api.ts';
export * from './api-origins.ts';
export { assertCount, assertMilliseconds, assertTimeLimit } from './assert-number.ts';
export * from './audit.ts';
export * from './describe-drift.ts';
export * from './erase-user.ts';
export * from './event-detail.ts';
export * from './fleet/alerts-api.ts';
export * from './fleet/fleet-api.ts';
export * from './fleet/fleet-csv.ts';
export * from './fleet/hooks-api.ts';
export * from './fleet/installation-state.ts';
export * from './fleet/live-api.ts';
export * from './fleet/refusals-api.ts';
export { listRefusalLines } from './fleet/refusals-csv.ts';
export * from './fleet/search-text.ts';
export * from './fleet/series-api.ts';
export * from './init-claims.ts';
export * from './issuer-pattern.ts';
export { JsonError, parseJson } from './json/parse-json.ts';
export * from './key-document.ts';
export * from './keys-api.ts';
export * from './known-platforms.ts';
export {
  type AccessTokenEvent,
  type AccessTokenEventPayload,
  accessTokenEventSchema,
  type InstallEvent,
  type InstanceAddEvent,
  type InstanceRemoveEvent,
  installEventSchema,
  instanceAddEventSchema,
  instanceRemoveEventSchema,
  type LifecycleEvent,
  type LifecycleEventName,
  lifecycleEventNames,
  lifecycleEventSchemas,
  type Refusal,
  refusalSchema,
  type UninstallEvent,
  uninstallEventSchema,
} from './lifecycle-events.ts';
export {
  type ApiAccess,
  apiAccessSchema,
  type Manifest,
  manifestSchema,
} from './manifest/manifest.ts';
export type {
  ManifestProblem,
  ManifestProblemCode,
  ManifestWarning,
  ManifestWarningCode,
} from './manifest/manifest-problem.ts';
export * from './manifest/parse-manifest.ts';
export type { ServedManifest } from './manifest/served-manifest.ts';
export * from './match-instance.ts';
export { type NormalizedEvent, normalizeEvent, type Respelling } from './normalize-event.ts';
export { readPersonName } from './person-name.ts';
export { plainText, withoutControls } from './plain-text.ts';
export { describeIssue, plainWords } from './plain-words.ts';
export * from './platform-profile.ts';
export * from './plugin-api.ts';
export * from './reasons.ts';
export * from './secret.ts';
export * from './settings-api.ts';
export * from './shapes/describe-shape.ts';
export * from './shapes/shapes-api.ts';
export { expiryMarginMs, renewsFrom } from './token-expiry.ts';
export * from './token-response.ts';
export {
  canonicalIssuer,
  eventUrl,
  hasDotSegment,
  hostOf,
  isLoopback,
  isSecure,
  joinPlatformUrl,
  resolvePlatformUrl,
  resolveUrl,
} from './urls.ts';

/** Wire shapes of platform and BFF as zod schemas with inferred types. No I/O. */
export * from './api-origins.ts';
export { assertCount, assertMilliseconds, assertTimeLimit } from './assert-number.ts';
export * from './call-times.ts';
export { identifier, uuid } from './claims.ts';
export * from './describe-drift.ts';
export * from './event-detail.ts';
export { findMeant, findNearest } from './find-nearest.ts';
export * from './init-claims.ts';
export * from './installation-status.ts';
export * from './issuer-pattern.ts';
export { JsonError, parseJson } from './json/parse-json.ts';
export * from './key-document.ts';
export * from './known-platforms.ts';
export {
  type AccessTokenEvent,
  type AccessTokenEventPayload,
  accessTokenEventSchema,
  type InstallEvent,
  type InstanceAddEvent,
  type InstanceRemoveEvent,
  installEventSchema,
  type LifecycleEvent,
  type LifecycleEventName,
  lifecycleEventNames,
  lifecycleEventSchemas,
  type Refusal,
  refusalSchema,
  type UninstallEvent,
} from './lifecycle-events.ts';
export {
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
export { describeIssue, plainWords } from './plain-words.ts';
export * from './platform-profile.ts';
export * from './plugin-api.ts';
export * from './reasons.ts';
export * from './secret.ts';
export * from './shapes/describe-shape.ts';
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

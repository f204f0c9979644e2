export { ConfigError } from './configuration.ts';
export { defineHook } from './hooks/define-hook.ts';
export {
  type BeforeInstallContext,
  type HookData,
  type HookDelivery,
  type HookObservation,
  type Hooks,
  ParkHook,
  type Tenant,
} from './hooks/hooks.ts';
export type { HookPolicy } from './hooks/policy.ts';
export { runOnce } from './hooks/run-once.ts';
export type { Log } from './log/log.ts';
export { createNotification } from './operations/create-notification.ts';
export { defineOperation } from './operations/define-operation.ts';
export type {
  ErrorStatus,
  Operation,
  OperationContext,
  OperationLimit,
  OperationOptions,
  OperationTable,
  PlatformOf,
  PlatformScope,
} from './operations/operation.ts';
export type { Json, Platform, PlatformInit, PlatformMethod } from './platform/call-platform.ts';
export type { Notifier, NotifyOptions } from './platform/notify.ts';
export { PlatformError, type PlatformErrorCode } from './platform/platform-error.ts';
export { type LiteralPath, type PlatformPath, path } from './platform/platform-path.ts';
export type { Caller, InstallationIdentity, User } from './sessions/caller.ts';

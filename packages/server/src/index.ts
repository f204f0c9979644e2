/** A plug-in's back end: events, sessions, calls to the platform, hooks, and the dashboard's API. */
export type { Installation, ParkedHook, UnmatchedPages } from '@dowel/installation-store';
export type { TrustRule } from '@dowel/platform-jwt';
export type { Manifest, NotificationRequest } from '@dowel/schema';
export { PlatformError, type PlatformErrorCode } from './base/platform-error.ts';
export { createServer } from './create-server.ts';
export type { SignInLink } from './dashboard/sign-in-link.ts';
export type { EventAddress } from './events/event-addresses.ts';
export { type PageSources, pagePolicy } from './frontend/page-policy.ts';
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
export {
  configureHttpServer,
  type HttpServerOptions,
  httpServerOptions,
} from './http/http-server.ts';
export type {
  RouteAnswer,
  RouteContext,
  RouteHandler,
  RouteRegistrar,
} from './http/own-routes.ts';
export type { Log } from './log/log.ts';
export type { Observation } from './observation.ts';
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
export { type LiteralPath, type PlatformPath, path } from './platform/platform-path.ts';
export type { InstallationChoice, NotificationOrigin } from './platform/server-platform.ts';
export { ServerClosedError } from './process/server-closed-error.ts';
export type {
  CommonOptions,
  InstallationQuery,
  Limits,
  PluginOptions,
  RequestHandler,
  Server,
  ServerOptions,
  StartedServer,
  Turn,
  TurnWork,
} from './server-options.ts';
export type {
  Caller,
  InstallationIdentity,
  User,
} from './sessions/caller.ts';
export { ConfigError } from './settings/config-error.ts';

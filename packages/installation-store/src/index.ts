/** Installations, their grants and their history in SQL; secrets encrypted at rest. */

export type {
  BrokenChange,
  ClientAccess,
  EventOrder,
  ExchangeEnding,
  ExchangeIntent,
  FailedRefresh,
  FailingGrant,
  Grant,
  GrantStore,
  GrantVersion,
  Lease,
  LeaseOutcome,
  LeaseRequest,
  RecoveredChange,
  RenewalStore,
  StoreListener,
  TokenOperationEntry,
  TokenSet,
  TransactionOptions,
  TriggerClaim,
} from '@dowel/token-client';
export {
  type AccountPassword,
  type AccountStore,
  type AdminSession,
  type OperatorAccount,
  type SignInCodeRequest,
  signInCodeLifetimeMs,
} from './account-store.ts';
export type {
  AlertFinding,
  AlertNews,
  AlertOutcome,
  AlertReport,
  AlertStore,
  ClaimedAlertMessage,
  NewAlertMessage,
} from './alert-store.ts';
export type { BackEndStore } from './back-end-store.ts';
export { type DatabaseReason, StoreError, type StoreErrorCode } from './errors.ts';
export type { EventEntry, EventStore } from './event-store.ts';
export type { FleetFacts, FleetListQuery, FleetReports, FleetRow } from './fleet-reports.ts';
export type {
  ApplyChange,
  ClaimedHook,
  ClaimedHooks,
  HookChange,
  HookClaim,
  HookEntry,
  HookEvent,
  HookFacts,
  HookOutcome,
  HookStore,
  ParkedHook,
  UsabilityStore,
} from './hook-store.ts';
export type { InboxKey, InboxStore, Verdict } from './inbox-store.ts';
export type {
  Beginning,
  BegunInstallation,
  Installation,
  InstallationKey,
  InstallationStore,
  InstanceLookup,
  LookupRules,
  OtherAddress,
  UnmatchedPages,
} from './installation-store.ts';
export type { KeyLocation, KeyLocationStore } from './key-location-store.ts';
export type { DatabaseReport, KeyFacts, KeyReport } from './key-report.ts';
export { type KeyAdmin, listKeys, openKeyAdmin } from './keyring-admin.ts';
export { createFirstKey, openServerKeyring } from './keyring-first.ts';
export type { EngineLocation } from './open-engine.ts';
export { openExistingStore } from './open-existing-store.ts';
export { type OpenStoreOptions, openStore } from './open-store.ts';
export type {
  AuditEnding,
  AuditStore,
  ErasedUser,
  NewAuditEntry,
  OperatedInstallation,
  OperatorStore,
} from './operator-store.ts';
export { findPasswordProblem, hashPassword, verifyPassword } from './passwords.ts';
export { defaultPostgresConnections } from './postgres/default-connections.ts';
export { failedEnding, type RecordedAction, recordAction } from './record-action.ts';
export type { NewRefusal, RefusalCount, RefusalStore } from './refusal-store.ts';
export { tombstoneMs } from './retention/maintenance.ts';
export type { ClaimedRun, NewRun, RunActor, RunProgress, RunStore } from './run-store.ts';
export type { FleetRates, SampleSeries, SampleStore, SeriesRequest } from './sample-store.ts';
export { createKeyring, type Keyring } from './sealing/keyring.ts';
export { type KeyFile, openKeyring } from './sealing/keyring-file.ts';
export type {
  FoundPluginSession,
  OpeningPage,
  PageClaims,
  PluginSession,
  SessionNonce,
  SessionStore,
} from './session-store.ts';
export type { ShapeStore } from './shape-store.ts';
export { lifeIdOf } from './sql/life-id.ts';
export type { CheckpointObservation } from './sqlite/checkpointer.ts';
export type {
  MaintenanceReport,
  MaintenanceRequest,
  Store,
  Stores,
} from './store.ts';
export type { StoreSettings } from './store-settings.ts';

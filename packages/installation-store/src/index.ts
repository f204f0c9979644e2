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
export type {
  AlertOutcome,
  ClaimedAlertMessage,
  NewAlertMessage,
} from './alerts/alert-messages.ts';
export type { AlertReport, AlertStore } from './alerts/alert-store.ts';
export type { AlertFinding, AlertNews } from './alerts/evaluate-alerts.ts';
export { type DatabaseReason, StoreError, type StoreErrorCode } from './errors.ts';
export { type KeyAdmin, listKeys, openKeyAdmin } from './keyring-admin.ts';
export { createFirstKey, openServerKeyring } from './keyring-first.ts';
export type { EngineLocation } from './open-engine.ts';
export { openExistingStore } from './open-existing-store.ts';
export { type OpenStoreOptions, openStore } from './open-store.ts';
export type { AuditEnding, AuditStore, NewAuditEntry } from './operators/audit-store.ts';
export type {
  ErasedUser,
  OperatedInstallation,
  OperatorStore,
} from './operators/operator-store.ts';
export type { ClaimedRun, NewRun, RunActor, RunProgress, RunStore } from './operators/run-store.ts';
export { findPasswordProblem, hashPassword, verifyPassword } from './passwords.ts';
export { defaultPostgresConnections } from './postgres/default-connections.ts';
export { failedEnding, type RecordedAction, recordAction } from './record-action.ts';
export type { FleetFacts } from './reports/fleet-detail.ts';
export type { FleetListQuery } from './reports/fleet-page.ts';
export type { FleetReports } from './reports/fleet-report.ts';
export type { FleetRow } from './reports/fleet-rows.ts';
export { tombstoneMs } from './retention/maintenance.ts';
export type { KeyFacts, KeyReport } from './rotation/key-report.ts';
export type { FleetRates, SampleSeries, SeriesRequest } from './samples/sample-series.ts';
export type { SampleStore } from './samples/sample-store.ts';
export { createKeyring, type Keyring } from './sealing/keyring.ts';
export { type KeyFile, openKeyring } from './sealing/keyring-file.ts';
export type { DatabaseReport } from './sql/database.ts';
export { lifeIdOf } from './sql/life-id.ts';
export type { HookEvent } from './sql/tables.ts';
export type { CheckpointObservation } from './sqlite/checkpointer.ts';
export type { ApplyChange, MaintenanceReport, MaintenanceRequest, Store, Stores } from './store.ts';
export type { StoreSettings } from './store-settings.ts';
export {
  type AccountPassword,
  type AccountStore,
  type AdminSession,
  type OperatorAccount,
  type SignInCodeRequest,
  signInCodeLifetimeMs,
} from './stores/account-store.ts';
export type { BackEndStore } from './stores/back-end-store.ts';
export type { EventEntry, EventStore } from './stores/event-store.ts';
export type {
  Installation,
  InstallationKey,
  InstanceLookup,
  LookupRules,
  UnmatchedPages,
} from './stores/find-installation.ts';
export type { ClaimedHook, ClaimedHooks, HookClaim } from './stores/hook-claims.ts';
export type { HookOutcome } from './stores/hook-settling.ts';
export type { HookStore } from './stores/hook-store.ts';
export type { InboxKey, InboxStore, Verdict } from './stores/inbox-store.ts';
export type { InstallationStore } from './stores/installation-store.ts';
export type { KeyLocation, KeyLocationStore } from './stores/key-location-store.ts';
export type { Beginning, BegunInstallation } from './stores/lives.ts';
export type { OtherAddress } from './stores/other-address.ts';
export type { HookChange, HookEntry, HookFacts } from './stores/outbox.ts';
export type { ParkedHook } from './stores/parked-hooks.ts';
export type { NewRefusal, RefusalCount, RefusalStore } from './stores/refusal-store.ts';
export type { SessionNonce } from './stores/session-nonces.ts';
export type {
  FoundPluginSession,
  OpeningPage,
  PageClaims,
  PluginSession,
  SessionStore,
} from './stores/session-store.ts';
export type { ShapeStore } from './stores/shape-store.ts';
export type { UsabilityStore } from './stores/usability.ts';

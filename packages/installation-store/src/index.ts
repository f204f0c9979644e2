/** Installations, their grants and their history in SQL; secrets encrypted at rest. */

export {
  type AccountPassword,
  type AccountStore,
  type AdminSession,
  type OperatorAccount,
  type SignInCodeRequest,
  signInCodeLifetimeMs,
} from './account-store.ts';
export type {
  AlertEvaluation,
  AlertFinding,
  AlertNews,
  AlertOutcome,
  AlertReport,
  AlertStore,
  ClaimedAlertMessage,
  NewAlertMessage,
} from './alert-store.ts';
export { type DatabaseReason, StoreError, type StoreErrorCode } from './errors.ts';
export type { FleetFacts, FleetListQuery, FleetReports, FleetRow } from './fleet-reports.ts';
export type {
  ApplyChange,
  BrokenChange,
  ClaimedHook,
  ClaimedHooks,
  FailingGrant,
  HookChange,
  HookClaim,
  HookEntry,
  HookEvent,
  HookFacts,
  HookOutcome,
  HookStore,
  ParkedHook,
  RecoveredChange,
  UsabilityStore,
} from './hook-store.ts';
export type {
  InstallationFilter,
  InstallationListQuery,
  InstallationPage,
  InstallationReport,
  InstallationReports,
  InstallationSummary,
} from './installation-reports.ts';
export type { DatabaseReport, KeyFacts, KeyReport, SearchState } from './key-report.ts';
export { type KeyAdmin, listKeys, openKeyAdmin } from './keyring-admin.ts';
export { createFirstKey, openServerKeyring } from './keyring-first.ts';
export type { EngineLocation } from './open-engine.ts';
export { openExistingStore } from './open-existing-store.ts';
export { type OpenStoreOptions, openStore } from './open-store.ts';
export type {
  AuditEnding,
  AuditStore,
  NewAuditEntry,
  OperatedInstallation,
  OperatorStore,
} from './operator-store.ts';
export { findPasswordProblem, hashPassword, verifyPassword } from './passwords.ts';
export { defaultPostgresConnections } from './postgres/default-connections.ts';
export { type Deed, recordDeed } from './record-deed.ts';
export { tombstoneMs } from './retention/maintenance.ts';
export type { ClaimedRun, NewRun, RunActor, RunProgress, RunStore } from './run-store.ts';
export type { FleetRates, SampleSeries, SampleStore, SeriesRequest } from './sample-store.ts';
export { createKeyring, type Keyring } from './sealing/keyring.ts';
export { type KeyFile, openKeyring } from './sealing/keyring-file.ts';
export type {
  Beginning,
  BegunInstallation,
  ClientAccess,
  EventEntry,
  EventOrder,
  EventStore,
  ExchangeEnding,
  ExchangeIntent,
  FoundPluginSession,
  Grant,
  GrantStore,
  GrantVersion,
  InboxKey,
  InboxStore,
  Installation,
  InstallationKey,
  InstallationStore,
  InstanceLookup,
  KeyLocation,
  KeyLocationStore,
  Lease,
  LeaseOutcome,
  LeaseRequest,
  MaintenanceReport,
  MaintenanceRequest,
  PluginSession,
  RefusalCount,
  RefusalStore,
  RenewalStore,
  ReportStore,
  SessionNonce,
  SessionStore,
  Store,
  StoreListener,
  Stores,
  TokenOperationEntry,
  TokenSet,
  TransactionOptions,
  TriggerClaim,
  Verdict,
} from './store.ts';
export { readStoreSettings, type StoreSettings } from './store-settings.ts';
export { longestLeaseMs, longestPauseMs } from './stores/lapse.ts';

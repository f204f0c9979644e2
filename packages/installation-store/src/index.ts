/** Installations, their grants and their history in SQL; secrets encrypted at rest. */

export type {
  EventOrder,
  ExchangeIntent,
  Grant,
  GrantVersion,
  Lease,
  LeaseOutcome,
  StoreListener,
  TokenOperationEntry,
  TokenSet,
  TriggerClaim,
} from '@dowel/token-client';
export type {
  AlertOutcome,
  ClaimedAlertMessage,
  NewAlertMessage,
} from './alerts/alert-messages.ts';
export type { AlertFinding, AlertNews } from './alerts/evaluate-alerts.ts';
export { StoreError } from './errors.ts';
export { listKeys, openKeyAdmin } from './keyring-admin.ts';
export { createFirstKey, openServerKeyring } from './keyring-first.ts';
export type { EngineLocation } from './open-engine.ts';
export { openExistingStore, type StoreSettings } from './open-existing-store.ts';
export { openStore, type StoreObservation } from './open-store.ts';
export type { AuditEnding } from './operators/audit-store.ts';
export type { OperatedInstallation } from './operators/operator-store.ts';
export type { ClaimedRun, RunProgress } from './operators/run-store.ts';
export { hashPassword, verifyPassword } from './passwords.ts';
export { defaultPostgresConnections } from './postgres/default-connections.ts';
export { failedEnding, recordAction } from './record-action.ts';
export type { FleetFacts } from './reports/fleet-detail.ts';
export type { FleetListQuery } from './reports/fleet-page.ts';
export type { FleetRow } from './reports/fleet-rows.ts';
export { tombstoneMs } from './retention/maintenance.ts';
export type { KeyReport } from './rotation/key-report.ts';
export type { FleetCounts, SeriesRequest } from './samples/sample-series.ts';
export { createKeyring, type Keyring } from './sealing/keyring.ts';
export { type KeyFile, openKeyring } from './sealing/keyring-file.ts';
export { lifeIdOf } from './sql/life-id.ts';
export type { HookEvent } from './sql/tables.ts';
export type { ApplyChange, MaintenanceReport, Store, StoreFigures, Stores } from './store.ts';
export {
  type AccountPassword,
  type AdminSession,
  passwordLinkLifetimeMs,
  signInCodeLifetimeMs,
} from './stores/account-store.ts';
export type { LoggedCall } from './stores/call-log.ts';
export type { CallReport } from './stores/call-store.ts';
export { keptDeliveries, type NewDelivery, type RefusalCount } from './stores/delivery-store.ts';
export type {
  Installation,
  InstallationKey,
  InstanceLookup,
  UnmatchedPages,
} from './stores/find-installation.ts';
export type { ClaimedHook } from './stores/hook-claims.ts';
export type { HookOutcome } from './stores/hook-settling.ts';
export type { Verdict } from './stores/inbox-store.ts';
export type { Beginning, BegunInstallation } from './stores/lives.ts';
export type { OtherAddress } from './stores/other-address.ts';
export type { HookChange, HookFacts } from './stores/outbox.ts';
export type { ParkedHook } from './stores/parked-hooks.ts';
export type { FoundPluginSession, PageClaims, PluginSession } from './stores/session-store.ts';

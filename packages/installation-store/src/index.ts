/** Installations, their grants and their history in SQL; secrets encrypted at rest. */
export { StoreError, type StoreErrorCode } from './errors.ts';
export { createKeyring, type Keyring, loadOrCreateKeyring } from './keyring.ts';
export { type OpenStoreOptions, openStore } from './open-store.ts';
export type {
  ClientAccess,
  EventEntry,
  EventOrder,
  EventStore,
  Grant,
  GrantStore,
  InboxKey,
  InboxStore,
  Installation,
  InstallationKey,
  InstallationStore,
  PluginSession,
  ReportStore,
  SessionStore,
  Store,
  Stores,
  TokenOperationEntry,
  TokenSet,
  Verdict,
} from './store.ts';

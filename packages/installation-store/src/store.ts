/**
 * The port: the interface between the domain and a store. Each part of it has a file beside this one. Points in
 * time are epoch milliseconds, except `iat` of a JWT, which is in seconds. Secrets are always a `Secret`.
 */
import type { GrantStore, RenewalStore, TokenStore } from '@dowel/token-client';
import type { AccountStore } from './account-store.ts';
import type { AlertStore } from './alert-store.ts';
import type { BackEndStore } from './back-end-store.ts';
import type { EventStore } from './event-store.ts';
import type { ConditionCount, FleetReports } from './fleet-reports.ts';
import type { HookStore, UsabilityStore } from './hook-store.ts';
import type { InboxStore } from './inbox-store.ts';
import type { InstallationStore } from './installation-store.ts';
import type { KeyLocationStore } from './key-location-store.ts';
import type { DatabaseReport, KeyReport } from './key-report.ts';
import type { AuditStore, OperatorStore } from './operator-store.ts';
import type { RefusalStore } from './refusal-store.ts';
import type { RunStore } from './run-store.ts';
import type { SampleStore } from './sample-store.ts';
import type { SessionStore } from './session-store.ts';
import type { ShapeStore } from './shape-store.ts';
import type { Tables } from './sql/tables.ts';

/** Methods that write several rows use several statements: call them inside {@link Store.transaction}. */
export interface Stores {
  installations: InstallationStore;
  grants: GrantStore;
  renewals: RenewalStore;
  inbox: InboxStore;
  events: EventStore;
  sessions: SessionStore;
  accounts: AccountStore;
  keyLocations: KeyLocationStore;
  reports: FleetReports;
  hooks: HookStore;
  usability: UsabilityStore;
  audit: AuditStore;
  operators: OperatorStore;
  samples: SampleStore;
  refusals: RefusalStore;
  shapes: ShapeStore;
  alerts: AlertStore;
  runs: RunStore;
  backEnd: BackEndStore;
}

export interface MaintenanceRequest {
  /** Epoch milliseconds. If the database's clock is behind, that one is used. */
  now: number;
  /** How long events and token operations are kept. */
  historyDays: number;
  /** Stops the work after the current batch, and at once what could take minutes. */
  signal?: AbortSignal;
}

export interface MaintenanceReport {
  /**
   * The differences between the kept counts and the installations, checked once a day. Empty: none, or not
   * checked.
   */
  repairedCounts: ConditionCount[];
  /** Refused installs that count as uninstalled from now on. */
  refusedInstalls: number;
  /** Installations that rest from now on, because their tenant has a newer address. */
  restingInstallations: number;
  /** How many rows of each table were deleted; of `installations`, with all rows that refer to them. */
  deleted: Partial<Record<keyof Tables, number>>;
}

export interface Store extends TokenStore<Stores> {
  /**
   * Deletes expired rows in small batches (docs/decisions/0014). Undefined: it is not due. All processes of a
   * database share one schedule, so each may call it at any time.
   */
  maintain(request: MaintenanceRequest): Promise<MaintenanceReport | undefined>;
  /**
   * Takes the turn of periodic work that has a name, for all processes of a database: true for one of them per
   * `everyMs`. The turn is taken also if the work then fails.
   */
  takeTurn(name: string, everyMs: number): Promise<boolean>;
  /**
   * Cheap enough for every second.
   *
   * @throws StoreError `DATABASE_UNAVAILABLE` with the reason why nothing can be stored now, or, on SQLite, why the
   *   thread that writes its log back or the one that reads for reports cannot run.
   */
  assertAvailable(): Promise<void>;
  /**
   * The encryption keys and what they seal, for operators. Counting goes on in small steps after the answer; see
   * {@link KeyReport}.
   */
  describeKeys(): Promise<KeyReport>;
  /**
   * Says that this process seals with its active key. Call it every half minute: for two minutes, `keys prune` keeps
   * the key, although no stored value may need it.
   */
  reportKey(): Promise<void>;
  /** The database, for operators. */
  describeDatabase(): Promise<DatabaseReport>;
  close(): Promise<void>;
}

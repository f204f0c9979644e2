/**
 * The port: the interface between the domain and a store. Points in time are epoch milliseconds, except `iat`
 * of a JWT, which is in seconds. Secrets are always a {@link Secret}.
 */
import type {
  InstallationStatus,
  LifecycleEventName,
  RefusalGroup,
  Secret,
  TokenOperation,
} from '@dowel/schema';
import type { AccountStore, AdminSession } from './account-store.ts';
import type { AlertStore } from './alert-store.ts';
import type { ConditionCount, FleetReports } from './fleet-reports.ts';
import type { HookStore, UsabilityStore } from './hook-store.ts';
import type { InstallationReports } from './installation-reports.ts';
import type { DatabaseReport, KeyReport, SearchState } from './key-report.ts';
import type { AuditStore, OperatorStore } from './operator-store.ts';
import type { RunStore } from './run-store.ts';
import type { SampleStore } from './sample-store.ts';

/** Tenant and plug-in are unique only together, and only under their issuer. */
export interface InstallationKey {
  issuer: string;
  tenantId: string;
  pluginId: string;
}

export interface Installation extends InstallationKey {
  id: string;
  status: InstallationStatus;
  /** The number of the life; never decreases. 0: only an uninstall has arrived so far. */
  generation: number;
  /** `iat` of the event that began this life, or of a newer install. */
  beganIat: number;
  /** `iat` of the last uninstall; null when there was none. */
  endedIat: number | null;
  /** `iat` of the access_token event whose tokens are stored; null when there are none. */
  appliedIat: number | null;
  /** The platform that these tokens are for; null when there are none. */
  baseUrl: string | null;
  /** The name that the back end gave the plug-in whose URL received its first event; '' for the only one. */
  plugin: string;
  /** The newest generation that became usable; 0: none did (docs/decisions/0036-hooks.md). */
  usableGeneration: number;
  /** This life began, and the plug-in's `beforeInstall` has not let it in yet: no session opens. */
  awaitsAdmission: boolean;
  /** When this life began, epoch milliseconds. */
  beganAt: number;
}

/** How the plug-in gets tokens from its tenant's platform, from one access_token event (Spec §2.2). */
export interface ClientAccess {
  baseUrl: string;
  clientId: string;
  clientSecret: Secret;
  /** Relative to `baseUrl`. */
  tokenEndpointUrl: string;
  /** Null: the event contained no way to request another event. */
  trigger: { url: string; body: Secret | null } | null;
}

/** The tokens of a token response, as we keep them. */
export interface TokenSet {
  accessToken: Secret;
  refreshToken: Secret | null;
  grantedScopes: string[];
  issuedAt: number;
  /** Null when the platform did not say. */
  expiresAt: number | null;
  /**
   * An earlier request was abandoned and may still arrive. A server that detects reuse then revokes these
   * tokens (docs/decisions/0019-late-arrivals.md). Default false.
   */
  isInDoubt?: boolean;
}

/** Identifies one stored token set, for every compare-and-swap. */
export interface GrantVersion {
  installationId: string;
  generation: number;
  /** Increases with every stored token set of the installation; never decreases. */
  tokenVersion: number;
}

export interface Grant extends ClientAccess, TokenSet, GrantVersion {
  isInDoubt: boolean;
  /** An operator has paused the installation: its tokens are not used. */
  isPaused: boolean;
}

export interface EventEntry {
  installationId: string;
  event: LifecycleEventName;
  receivedAt: number;
  durationMs: number;
  status: number;
  reason: string | null;
  /** The life that shows a refusal as its error; null: none. Default: the current one. */
  generation?: number | null;
}

/** Two deliveries with the same key are the same event. */
export interface InboxKey {
  installationId: string;
  digest: string;
}

export interface Verdict {
  status: number;
  reason: string | null;
  /** The plug-in's own text of a refusal. Default null. */
  message?: string | null;
}

export type TokenOperationEntry = Omit<TokenOperation, 'id'> & { installationId: string };

/** A session of a plug-in's page. */
export interface PluginSession {
  installationId: string;
  generation: number;
  userId: string;
  instanceId: string;
  expiresAt: number;
}

/** An open session, with what a call of its page needs to know of the installation. */
export interface FoundPluginSession extends PluginSession {
  issuer: string;
  tenantId: string;
  pluginId: string;
  /** As of {@link Installation}. */
  plugin: string;
  /** The scopes of the stored tokens; empty when there are none. */
  grantedScopes: string[];
}

/** Which installation a widget belongs to. */
export type InstanceLookup =
  | {
      outcome: 'found';
      installation: Installation;
      /** `iat` of the tenant's newest uninstall of this plug-in, also under another plug-in id; null: none. */
      lastEndedIat: number | null;
    }
  /** The tenant has no live installation. */
  | { outcome: 'tenant_unknown' }
  /** The tenant has live installations, but none has this instance, or it was removed. */
  | { outcome: 'instance_unknown' };

/** The event that begins a life. It may be an access_token event, because a manifest may name no install event. */
export type LifeBeginning = 'install' | 'access_token';

export interface Beginning {
  /** The digest of the access_token event that begins the life. Default: an install does. */
  code?: string | undefined;
  /** The plug-in, by the name that the back end gave it. Kept from the first life. Default ''. */
  plugin?: string;
  /** The plug-in's `beforeInstall` must let the new life in. Default false. */
  awaitsAdmission?: boolean;
}

export interface BegunInstallation extends Installation {
  /** This call began a life after a tombstone. */
  isRevival: boolean;
}

export interface InstallationStore {
  find(key: InstallationKey): Promise<Installation | undefined>;
  get(id: string): Promise<Installation | undefined>;
  /**
   * The live installation that placed this instance. Where the platform has sent no instance events yet,
   * the tenant's live installation if there is exactly one (docs/decisions/0023).
   */
  findByInstance(issuer: string, tenantId: string, instanceId: string): Promise<InstanceLookup>;
  /**
   * Creates the installation, or begins its next life if the previous one ended before `iat`. A live
   * installation keeps its life, but an install moves its start to the newer `iat`, so that a late, older
   * uninstall does not end it.
   *
   * @returns the installation after that: `uninstalled` if the event belongs to a life that has ended.
   */
  begin(
    key: InstallationKey,
    iat: number,
    at: number,
    beginning?: Beginning,
  ): Promise<BegunInstallation>;
  /**
   * A copy of the access_token event with the digest `code` was signed earlier. If that event began the life,
   * the life's start moves back to `iat`.
   */
  antedate(installation: Installation, code: string, iat: number): Promise<void>;
  /**
   * Ends the life that existed when the uninstall was signed, and deletes its secrets and sessions at once. A
   * tombstone remains (docs/decisions/0014) until {@link Store.maintain} purges it, also for an unknown
   * installation (generation 0). A life that began later continues, without the tokens of events from before
   * `iat`.
   */
  uninstall(key: InstallationKey, iat: number): Promise<Installation>;
  /**
   * The code of the access_token event with the digest `code` was refused, so that event proves no life. A
   * life that only this event began after an uninstall ends. Any other life continues: it began with its
   * newest install or, without one, any later uninstall ends it.
   */
  giveUp(installation: Installation, code: string): Promise<void>;
  /**
   * An event that is not newer than the newest one about this instance changes nothing: false. `iat` in seconds.
   */
  addInstance(installationId: string, instanceId: string, iat: number): Promise<boolean>;
  /** Ends the sessions of the instance, too. Wins over an addition of the same second. Otherwise as `addInstance`. */
  removeInstance(installationId: string, instanceId: string, iat: number): Promise<boolean>;
  /** The placed instances after the id `after`, in the order of their ids; at most `limit`. '' begins. */
  listInstances(installationId: string, page: { after: string; limit: number }): Promise<string[]>;
  /**
   * The issuers of the living installations that have placed this instance, in order; at most `limit`. More than
   * one if tenants use the same id.
   */
  listIssuersOf(instanceId: string, limit: number): Promise<string[]>;
}

/** The place of an access_token event in the order of events, in seconds. */
export interface EventOrder {
  iat: number;
  /** Tokens of an event later than this are kept; so are those of any later event that arrived during this exchange. */
  newestIat: number;
}

export interface GrantStore {
  /**
   * @throws StoreError `SECRET_INTEGRITY` when one of its secrets does not decrypt, `KEY_UNKNOWN` when
   * another process can decrypt it.
   */
  load(installationId: string): Promise<Grant | undefined>;
  /** Which token set is stored, without decrypting it, and whether an operator has paused its installation. */
  findVersion(installationId: string): Promise<(GrantVersion & { isPaused: boolean }) | undefined>;
  /** The scopes of the stored token set, without decrypting it; undefined when there is none. */
  findScopes(installationId: string): Promise<string[] | undefined>;
  /**
   * Stores the tokens of an access_token event, unless the installation's life has `ended` or tokens of a
   * newer event are stored already (`superseded`). An event signed after that end belongs to the next life,
   * and begins it if no other event has. Ends the intents of older events; {@link RenewalStore.endExchange}
   * ends its own.
   */
  replace(
    installation: Installation,
    access: ClientAccess,
    tokens: TokenSet,
    order: EventOrder,
  ): Promise<'stored' | 'superseded' | 'ended'>;
  /**
   * Stores the tokens from a refresh of this version, even if another process has the lease by then: they are
   * the only valid successor of this version. Undefined: a newer version is stored already and is kept.
   */
  commitRefresh(
    refreshed: GrantVersion,
    tokens: TokenSet,
  ): Promise<Pick<Grant, 'isInDoubt' | 'isPaused'> | undefined>;
  /**
   * Marks a grant that only a new access_token event can replace: its refresh token is deleted, and its
   * access token counts as expired. With the reason `secret_integrity` both are kept, because another process
   * may be able to read them. A marked grant is not written or announced again.
   *
   * @returns the first reason it was marked with; undefined: a newer version is stored already.
   */
  markAwaitingEvent(version: GrantVersion, reason: string, at: number): Promise<string | undefined>;
}

export interface LeaseRequest {
  /** Unique to the process. */
  owner: string;
  leaseMs: number;
  /** How often one refresh token may be presented without an answer. */
  maxPresentations: number;
  /** The token bucket of all processes: `burst` leases at once, and one more per `intervalMs`. */
  burst: number;
  intervalMs: number;
}

/** The right to present one refresh token. It ends at its time limit. */
export interface Lease extends GrantVersion {
  owner: string;
  /** The fencing number: no two leases of an installation have the same. */
  sequence: number;
  /** Earlier failed refreshes of this token set. */
  failures: number;
  /** Earlier presentations of the refresh token that may still arrive at the server. */
  unanswered: number;
}

/** What is known about a request that brought no tokens. */
export interface RequestFailure {
  /** The server may have accepted the presented code or token, and no answer was read. */
  mayBeSpent: boolean;
  /** The request may still arrive at the server, although its sender or a gateway has given it up. */
  mayArrive: boolean;
}

/** A refresh that brought no tokens, and may be tried again. */
export interface FailedRefresh extends RequestFailure {
  /** Time until the next refresh may be tried. */
  retryInMs: number;
  /** Why, for the dashboard: a reason of docs/errors.md. Default: not known. */
  reason?: string;
}

/** Any other failure is thrown; do not refresh. */
export type LeaseOutcome =
  | { outcome: 'acquired'; lease: Lease; grant: Grant; tenantId: string }
  /** Another process refreshes, or exchanges a new event's code, or has just finished. */
  | { outcome: 'held'; retryInMs: number }
  /** Recent refreshes failed. The next one may be tried later. */
  | { outcome: 'backing_off'; retryInMs: number; failures: number }
  /** An operator has paused the installation. */
  | { outcome: 'paused' }
  /** The token bucket is empty. */
  | { outcome: 'rate_limited'; retryInMs: number }
  /** There is no refresh token, or it was presented too often without an answer. */
  | { outcome: 'spent'; hasRefreshToken: boolean }
  /** Another version is stored. */
  | { outcome: 'moved' }
  /** Nothing is stored. */
  | { outcome: 'gone' };

/** An event whose code is being exchanged: the data that is needed to request another event. */
export interface ExchangeIntent extends Pick<ClientAccess, 'baseUrl' | 'trigger'> {
  iat: number;
  /** Identifies the code without containing it. */
  codeDigest: string;
}

/** How an exchange without tokens ended. */
export type ExchangeEnding =
  /** Final: another event would fail, too. */
  | 'over'
  /** The code was not spent: the same event may come again. */
  | 'unspent'
  /** A gateway answered: the same event may come again, and the request with the code may still arrive. */
  | 'deferred'
  /** The outcome is unknown: the same event may come again once, and a new event is requested. */
  | 'unknown';

export type TriggerClaim =
  /** This process sends the trigger. `sent` triggers were sent for this token set before. */
  | { outcome: 'claimed'; sent: number }
  | { outcome: 'too_early'; retryInMs: number }
  /** An operator has paused the installation. */
  | { outcome: 'paused' }
  /** Another token set is stored, or the installation is gone. */
  | { outcome: 'moved' };

/**
 * Decides by the database's clock which process may renew a token set. The lease only saves requests; the
 * compare-and-swap of {@link GrantStore} guarantees correctness.
 */
export interface RenewalStore {
  /** @throws StoreError as {@link GrantStore.load}. Then nothing counts as presented. */
  acquire(version: GrantVersion, request: LeaseRequest): Promise<LeaseOutcome>;
  /**
   * Begins the time of a lease again whose refresh token was not sent yet, even if it has lapsed. Nothing is
   * counted.
   *
   * @returns false when another process has taken the next lease, an exchange holds refreshes back, an operator
   * has paused the installation, or another version is stored. Then the lease is gone. It does not count as a presentation, and takes nothing from
   * the token bucket.
   */
  extend(lease: Lease, times: Pick<LeaseRequest, 'leaseMs' | 'intervalMs'>): Promise<boolean>;
  /** Returns a lease after a refresh without tokens. */
  release(lease: Lease, failure: FailedRefresh): Promise<void>;
  /**
   * Records that an event's code is about to be sent, and prevents refreshes for `holdMs`.
   *
   * @returns how often this code was presented without an answer, this time included, and how many earlier
   * presentations of any code may still arrive; undefined when the installation's life has ended, because no
   * secret is stored after that.
   */
  beginExchange(
    installation: Installation,
    intent: ExchangeIntent,
    holdMs: number,
  ): Promise<{ presented: number; unanswered: number } | undefined>;
  endExchange(installationId: string, codeDigest: string, ending: ExchangeEnding): Promise<void>;
  /**
   * Claims the right to send one trigger. Not possible while an exchange runs.
   *
   * @param pauseMs the time until the next trigger, given how many were sent for this token set before.
   * @param gapMs an operator asks: the pause counts for nothing, only this time since the last claim. Default: the
   *   pause counts.
   */
  claimTrigger(
    version: GrantVersion,
    pauseMs: (sent: number) => number,
    gapMs?: number,
  ): Promise<TriggerClaim>;
  /** Delays the next trigger beyond the pause of the claim. */
  delayTrigger(version: GrantVersion, delayMs: number): Promise<void>;
  /** How to request a new event, according to the newest event, even if its code was not exchanged. */
  loadTrigger(
    installationId: string,
  ): Promise<Pick<ClientAccess, 'baseUrl' | 'trigger'> | undefined>;
  /**
   * Installations that only a new event can repair, and whose next trigger is due. They are due again after
   * five seconds, unless a trigger is claimed: so processes that call this at the same time get different ones.
   */
  claimDue(limit: number): Promise<GrantVersion[]>;
}

/** The events that were received, and their answers. It makes the reception of events idempotent. */
export interface InboxStore {
  /** The earlier answer to the same event. */
  findVerdict(key: InboxKey): Promise<Verdict | undefined>;
  /**
   * Claims an undecided event for `claimMs` by the database's clock. False: it is decided already, or another
   * delivery has the claim.
   */
  claim(
    key: InboxKey,
    claim: { owner: string; claimMs: number; receivedAt: number; codeIat?: number | null },
  ): Promise<boolean>;
  /**
   * Decides an event at once. False: it is decided already, or another delivery has the claim.
   *
   * @param codeIat here and in `claim`: when an event with a code was signed, in seconds. The smallest of
   * several copies is kept.
   */
  decide(
    key: InboxKey,
    verdict: Verdict,
    receivedAt: number,
    codeIat?: number | null,
  ): Promise<boolean>;
  /**
   * Stores this verdict for all codes of an installation whose first copy was signed at `signedBy`, in
   * seconds, or before. A code that is being exchanged loses its claim.
   *
   * @param codes `withAccepted`: also for accepted codes, because their tokens were deleted.
   */
  retireCodes(
    installationId: string,
    verdict: Verdict,
    codes: { signedBy: number; withAccepted: boolean },
  ): Promise<void>;
  /**
   * Decides a claimed event permanently. False: it is decided already, or another process has the claim.
   *
   * @param owner null: any process may have the claim.
   */
  settle(key: InboxKey, owner: string | null, verdict: Verdict): Promise<boolean>;
  /** Releases a claim without a decision: the same event may come again. */
  release(key: InboxKey, owner: string): Promise<void>;
}

/** The histories. About a thousand entries of each installation are kept, for `historyDays`. */
export interface EventStore {
  recordEvent(entry: EventEntry): Promise<void>;
  recordTokenOperation(entry: TokenOperationEntry): Promise<void>;
}

/** What a session nonce is good for. */
export interface SessionNonce {
  /** The plug-in's name in the store; '' for the only one. */
  plugin: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

/** Sessions, stored by the SHA-256 of their token, so that the database contains no usable token. */
export interface SessionStore {
  /** A nonce for the `jti` of an init JWT. Nothing is stored for it: the database's keys vouch for it. */
  createNonce(nonce: SessionNonce): string;
  /** Whether a process of this database made this nonce for this plug-in, and it has not expired. */
  isNonceFresh(nonce: string, asked: { plugin: string; now: number }): boolean;
  /**
   * Opens a session if the life continues and the instance may have one. Call it inside {@link
   * Store.transaction}, so that it cannot overlap with a change that ends the life or the instance.
   *
   * @returns `replayed`: this init JWT has opened a session before. `over`: the life has ended, or the
   *   instance was removed.
   */
  createPluginSession(
    tokenHash: string,
    session: PluginSession,
    initJti: string,
  ): Promise<'opened' | 'replayed' | 'over'>;
  /** Undefined if the session has expired, its installation's generation has ended, or its instance was removed. */
  findPluginSession(tokenHash: string, now: number): Promise<FoundPluginSession | undefined>;
  createAdminSession(tokenHash: string, session: AdminSession): Promise<void>;
  /** Undefined when one of its two limits has passed, or its account was changed. Does not count as use. */
  findAdminSession(tokenHash: string, now: number): Promise<AdminSession | undefined>;
  /** Moves the end of an idle session forward, never back. An ended session stays ended. */
  extendAdminSession(tokenHash: string, idleAt: number, now: number): Promise<void>;
  removeAdminSession(tokenHash: string): Promise<void>;
}

export interface KeyLocation {
  /** The URL of a key document. */
  location: string;
  /** When one of its keys last verified a signature, by the database's clock, to about a day. */
  usedAt: number;
}

/**
 * Locations of keys that have verified a signature, for all processes. After a restart they have priority
 * over locations that strangers invent. Contains no keys.
 */
export interface KeyLocationStore {
  /** Most recently used first, at most 512. */
  list(): Promise<KeyLocation[]>;
  /** Records that the location is in use. Beyond 512, the least recently used are deleted. */
  remember(location: string): Promise<void>;
}

/** Refusals of one group within the five minutes that began at `bucketAt`, epoch milliseconds. */
export interface RefusalCount extends RefusalGroup {
  bucketAt: number;
}

/** What was turned away before it reached an installation (docs/decisions/0046). */
export interface RefusalStore {
  /** Adds to what was counted before, by any process. All of them or none. Each group occurs once. */
  add(counts: readonly RefusalCount[]): Promise<void>;
}

/** The dashboard's data. Contains no secrets. */
export interface ReportStore extends FleetReports, InstallationReports {}

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
  reports: ReportStore;
  hooks: HookStore;
  usability: UsabilityStore;
  audit: AuditStore;
  operators: OperatorStore;
  samples: SampleStore;
  refusals: RefusalStore;
  alerts: AlertStore;
  runs: RunStore;
}

export interface MaintenanceRequest {
  /** Epoch milliseconds. If the database's clock is behind, that one is used. */
  now: number;
  /** How long events and token operations are kept. */
  historyDays: number;
  /** Stops the work after the current batch. */
  signal?: AbortSignal;
}

/** How many rows were deleted. */
export interface MaintenanceReport {
  /** What the kept counts of the installations lacked, once a day. Empty: they were right, or it was not time. */
  repairedCounts: ConditionCount[];
  /** Hours of the fleet's history that were made of their minutes. */
  rolledUpHours: number;
  /** Refused installs that count as uninstalled from now on. */
  refusedInstalls: number;
  events: number;
  tokenOperations: number;
  /** Times without access that are over. */
  outages: number;
  inboxEntries: number;
  pluginSessions: number;
  adminSessions: number;
  signInCodes: number;
  keyLocations: number;
  /** Rows of the change log that every process has read. */
  changes: number;
  /** Delivered and superseded ones. */
  hookDeliveries: number;
  /** Deliveries that nobody replayed in 30 days. */
  parkedHooks: number;
  /** Rows of the audit that are older than 400 days. */
  auditEntries: number;
  /** Of the fleet's history: minutes after 14 days, hours after two years. */
  fleetMinutes: number;
  fleetCauseMinutes: number;
  fleetHours: number;
  fleetCauseHours: number;
  /** Counts of refusals. */
  refusals: number;
  /** Alerts that are over, and messages about alerts. */
  alerts: number;
  alertMessages: number;
  /** Runs that are over. */
  runs: number;
  /** With all rows that refer to them. */
  installations: number;
  /** Installations that can be found by their text from now on. */
  searchTexts: number;
  /** How the list's search finds texts. */
  search: SearchState;
}

export interface TransactionOptions {
  /** It holds tokens that exist nowhere else: it is first in line for a connection, and waits without limit. */
  isUrgent?: boolean;
}

/**
 * @param installationId null: changes of any installation may have been missed.
 * @param ofTokens the token set or the life changed. False: only the history, a lease or an instance did.
 */
export type StoreListener = (installationId: string | null, ofTokens: boolean) => void;

export interface Store extends Stores {
  /**
   * Runs `work` in one transaction. When the promise resolves, all of it is durable; when it rejects, nothing
   * was written.
   */
  transaction<Result>(
    work: (stores: Stores) => Promise<Result>,
    options?: TransactionOptions,
  ): Promise<Result>;
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
   * @throws StoreError `DATABASE_UNAVAILABLE` with the reason why nothing can be stored now.
   */
  assertAvailable(): Promise<void>;
  /**
   * The encryption keys and what they seal, for operators. Counting goes on in small steps after the answer; see
   * {@link KeyReport}.
   */
  describeKeys(): Promise<KeyReport>;
  /** The database, for operators. */
  describeDatabase(): Promise<DatabaseReport>;
  /**
   * Calls back after each committed change to an installation, by any process. Its own changes are announced
   * at once, those of others within about a second while the database is available
   * (docs/decisions/0031-heard-changes.md). Returns a function that stops it.
   */
  onChange(listener: StoreListener): () => void;
  close(): Promise<void>;
}

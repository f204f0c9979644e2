/**
 * The port: the interface between the domain and a store. Points in time are epoch milliseconds, except `iat`,
 * which is a JWT's and counts seconds. Secrets cross it only as {@link Secret}.
 */
import type {
  InstallationCounts,
  InstallationDetail,
  InstallationListQuery,
  InstallationStatus,
  InstallationSummary,
  LifecycleEventName,
  Secret,
  TokenOperation,
} from '@dowel/schema';

/** Tenant and plug-in are unique only together, and only under their issuer. */
export interface InstallationKey {
  issuer: string;
  tenantId: string;
  pluginId: string;
}

export interface Installation extends InstallationKey {
  id: string;
  status: InstallationStatus;
  /** Which life of the installation; never goes back. 0: only its uninstall has come so far. */
  generation: number;
  /** `iat` of the event that began this life, or of a newer install. */
  beganIat: number;
  /** `iat` of the last uninstall; null when there was none. */
  endedIat: number | null;
  /** `iat` of the access_token event whose tokens are stored; null when there are none. */
  appliedIat: number | null;
  /** Where those tokens came from; null when there are none. */
  baseUrl: string | null;
}

/** How the plug-in speaks to its tenant's platform, as one access_token event said (Spec §2.2). */
export interface ClientAccess {
  baseUrl: string;
  clientId: string;
  clientSecret: Secret;
  /** Relative to `baseUrl`. */
  tokenEndpointUrl: string;
  /** Null: the event named no way to ask for another one. */
  trigger: { url: string; body: Secret | null } | null;
}

/** The tokens of a token response, as they are kept. */
export interface TokenSet {
  accessToken: Secret;
  refreshToken: Secret | null;
  grantedScopes: string[];
  issuedAt: number;
  /** Null when the platform did not say. */
  expiresAt: number | null;
  /**
   * An earlier request for these tokens was given up and may still arrive: a server that detects reuse
   * revokes them then (docs/decisions/0019-late-arrivals.md). Default false.
   */
  isInDoubt?: boolean;
}

/** Names one stored token set: what every compare-and-swap compares. */
export interface GrantVersion {
  installationId: string;
  generation: number;
  /** Counts every stored token set of the installation; never goes back. */
  tokenVersion: number;
}

export interface Grant extends ClientAccess, TokenSet, GrantVersion {
  isInDoubt: boolean;
}

export interface EventEntry {
  installationId: string;
  event: LifecycleEventName;
  receivedAt: number;
  durationMs: number;
  status: number;
  reason: string | null;
  /** A refusal is an error of this life only; null: of none. Default: of the one that is there. */
  generation?: number | null;
}

/** What makes two deliveries the same event, within one installation. */
export interface InboxKey {
  installationId: string;
  digest: string;
}

export interface Verdict {
  status: number;
  reason: string | null;
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

export interface FoundPluginSession extends PluginSession {
  pluginId: string;
}

/** Which installation a widget belongs to. */
export type InstanceLookup =
  | { outcome: 'found'; installation: Installation }
  /** The tenant has no live installation. */
  | { outcome: 'tenant_unknown' }
  /** It has some, and the instance is of none of them, or was removed. */
  | { outcome: 'instance_unknown' };

/** The event that begins a life. A manifest may name no install event. */
export type LifeBeginning = 'install' | 'access_token';

export interface BegunInstallation extends Installation {
  /** This very call began a life where a tombstone was. */
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
   * Creates the installation, or begins its next life when the one before ended earlier than `iat`. A
   * live one keeps its life, whose start an install moves to the newer `iat`: so a late uninstall of
   * before does not end it.
   *
   * @param code the digest of the access_token event that begins the life. Default: an install does.
   * @returns the installation as it is then: `uninstalled` when the event is of a life that has ended.
   */
  begin(key: InstallationKey, iat: number, at: number, code?: string): Promise<BegunInstallation>;
  /**
   * A copy of the access_token event with the digest `code` was signed earlier: the life that it began,
   * if it did, began then.
   */
  antedate(installation: Installation, code: string, iat: number): Promise<void>;
  /**
   * Ends the life that was there when the uninstall was signed: its secrets and sessions are deleted at
   * once. What is left is a tombstone (docs/decisions/0014), until {@link Store.maintain} purges it;
   * also where nothing was known (generation 0). A life that began later goes on, without the tokens of
   * an event from before `iat`.
   */
  uninstall(key: InstallationKey, iat: number): Promise<Installation>;
  /**
   * The code of the access_token event with the digest `code` was refused, so that event shows no life.
   * One that it alone began after an uninstall ends. Any other goes on: from its newest install, or
   * without one until any later uninstall.
   */
  giveUp(installation: Installation, code: string): Promise<void>;
  /** An event that is older than the newest one about this instance changes nothing. `iat` in seconds. */
  addInstance(installationId: string, instanceId: string, iat: number): Promise<void>;
  /** Ends the sessions of the instance too. Counts for more than an addition of the same second. */
  removeInstance(installationId: string, instanceId: string, iat: number): Promise<void>;
}

/** Where an access_token event stands among the others, in seconds. */
export interface EventOrder {
  iat: number;
  /** Tokens of an event later than this stay; of any later one, if it came while this one's code was exchanged. */
  newestIat: number;
}

export interface GrantStore {
  /** @throws StoreError `SECRET_INTEGRITY` when one of its secrets does not decrypt, `KEY_UNKNOWN` when another process can. */
  load(installationId: string): Promise<Grant | undefined>;
  /** Which token set is stored, without decrypting it. */
  findVersion(installationId: string): Promise<GrantVersion | undefined>;
  /**
   * Stores what an access_token event brought, unless the installation's life has `ended` or the
   * tokens of a newer event were stored meanwhile (`superseded`). An event that was signed after that
   * end belongs to the next life, and begins it if nothing else has. Ends the intents of older events;
   * its own is {@link RenewalStore.endExchange}'s.
   */
  replace(
    installation: Installation,
    access: ClientAccess,
    tokens: TokenSet,
    order: EventOrder,
  ): Promise<'stored' | 'superseded' | 'ended'>;
  /**
   * Stores the tokens that a refresh of this version brought, even if the lease has passed on: they are
   * the only living successor of that version. Undefined: a newer one is stored already, and stays.
   */
  commitRefresh(
    refreshed: GrantVersion,
    tokens: TokenSet,
  ): Promise<Pick<Grant, 'isInDoubt'> | undefined>;
  /**
   * The grant is dead and only a new access_token event helps: its refresh token is forgotten, its
   * access token counts as expired. With the reason `secret_integrity` both stay: another process may
   * be able to read the secret. A grant that is marked already is not written or announced again.
   *
   * @returns the first reason it was marked for; undefined: a newer one is stored already.
   */
  markAwaitingEvent(version: GrantVersion, reason: string, at: number): Promise<string | undefined>;
}

export interface LeaseRequest {
  /** Unique to the process. */
  owner: string;
  leaseMs: number;
  /** How often one refresh token may be presented while no answer to it was read. */
  maxPresentations: number;
  /** The token bucket over all processes: `burst` leases at once, one more per `intervalMs`. */
  burst: number;
  intervalMs: number;
}

/** The right to present one refresh token; ends by itself. */
export interface Lease extends GrantVersion {
  owner: string;
  /** Fences: no two leases of an installation have the same. */
  sequence: number;
  /** Refreshes of this token set that have failed before. */
  failures: number;
  /** Earlier presentations of the refresh token that may still arrive at the server. */
  unanswered: number;
}

/** What is known about a request that brought no tokens. */
export interface RequestFailure {
  /** The server may have taken what was presented, and no answer was read. */
  mayBeSpent: boolean;
  /** The request may still arrive at the server, though its sender has given it up or a gateway has. */
  mayArrive: boolean;
}

/** Any other failure is thrown; do not refresh. */
export type LeaseOutcome =
  | { outcome: 'acquired'; lease: Lease; grant: Grant; tenantId: string }
  /** Another process refreshes, or exchanges a new event's code, or has just finished. */
  | { outcome: 'held'; retryInMs: number }
  /** Refreshes failed just before; the next may be tried later. */
  | { outcome: 'backing_off'; retryInMs: number; failures: number }
  /** The token bucket is empty. */
  | { outcome: 'rate_limited'; retryInMs: number }
  /** There is no refresh token, or it was presented too often without an answer. */
  | { outcome: 'spent'; hasRefreshToken: boolean }
  /** Another version is stored. */
  | { outcome: 'moved' }
  /** Nothing is stored. */
  | { outcome: 'gone' };

/** What is known of an event whose code is being exchanged: enough to ask for another one. */
export interface ExchangeIntent extends Pick<ClientAccess, 'baseUrl' | 'trigger'> {
  iat: number;
  /** Names the code without holding it. */
  codeDigest: string;
}

/** How an exchange ended that brought no tokens. */
export type ExchangeEnding =
  /** Final: another event would fail as well. */
  | 'over'
  /** The code was not spent: the same event may come again. */
  | 'unspent'
  /** A gateway answered: the same event may come again, and the code that was sent may still arrive. */
  | 'deferred'
  /** The outcome is unknown: the event may come again once, and a new event is requested. */
  | 'unknown';

export type TriggerClaim =
  /** This process sends it; `sent` were sent for this token set before. */
  | { outcome: 'claimed'; sent: number }
  | { outcome: 'too_early'; retryInMs: number }
  /** Another token set is stored, or the installation is gone. */
  | { outcome: 'moved' };

/**
 * Which process may renew a token set, by the database's clock. The lease saves requests;
 * correctness is in the compare-and-swap of {@link GrantStore}.
 */
export interface RenewalStore {
  /** @throws StoreError as {@link GrantStore.load}; nothing counts as presented then. */
  acquire(version: GrantVersion, request: LeaseRequest): Promise<LeaseOutcome>;
  /**
   * Gives a lease back after a refresh that brought nothing.
   *
   * @param failure `retryInMs`: when the next refresh may be tried.
   */
  release(lease: Lease, failure: RequestFailure & { retryInMs: number }): Promise<void>;
  /**
   * Remembers that an event's code is about to be spent, and holds refreshes back for `holdMs`.
   *
   * @returns how often this code has been presented without an answer, this time included, and how many
   *   earlier presentations, of this code or another, may still arrive; undefined when the installation's life has ended, which
   *   nothing secret may outlive.
   */
  beginExchange(
    installation: Installation,
    intent: ExchangeIntent,
    holdMs: number,
  ): Promise<{ presented: number; unanswered: number } | undefined>;
  endExchange(installationId: string, codeDigest: string, ending: ExchangeEnding): Promise<void>;
  /**
   * Takes the right to send one trigger; not while an exchange runs.
   *
   * @param pauseMs how long until the next one, given how many were sent for this token set before.
   */
  claimTrigger(version: GrantVersion, pauseMs: (sent: number) => number): Promise<TriggerClaim>;
  /** Lets the next trigger wait longer than its claim said. */
  delayTrigger(version: GrantVersion, delayMs: number): Promise<void>;
  /** How to ask for a new event: as the newest event said, its code exchanged or not. */
  loadTrigger(
    installationId: string,
  ): Promise<Pick<ClientAccess, 'baseUrl' | 'trigger'> | undefined>;
  /** Installations that only a new event heals and whose next trigger is due. */
  listDue(limit: number): Promise<GrantVersion[]>;
}

/** Which events were seen, and their answers. It makes the reception of events idempotent. */
export interface InboxStore {
  /** The answer that the same event got before. */
  findVerdict(key: InboxKey): Promise<Verdict | undefined>;
  /**
   * Claims an undecided event for `claimMs` by the database's clock. False: it was
   * decided before, or another delivery of it is being decided.
   */
  claim(
    key: InboxKey,
    claim: { owner: string; claimMs: number; receivedAt: number; codeIat?: number | null },
  ): Promise<boolean>;
  /**
   * Decides an event at once. False: it was decided before, or another delivery has it claimed.
   *
   * @param codeIat here and in `claim`: when an event with a code was signed, in seconds. Of several
   *   copies the smallest is kept.
   */
  decide(
    key: InboxKey,
    verdict: Verdict,
    receivedAt: number,
    codeIat?: number | null,
  ): Promise<boolean>;
  /**
   * From now on, this verdict answers the codes of an installation whose first copy was signed by
   * `signedBy`, in seconds. A code that is being exchanged loses its claim.
   *
   * @param codes `withAccepted`: also to every code that was accepted, because the tokens it brought
   *   were deleted.
   */
  retireCodes(
    installationId: string,
    verdict: Verdict,
    codes: { signedBy: number; withAccepted: boolean },
  ): Promise<void>;
  /**
   * Decides a claimed event for good. False: it was decided before, or the claim is another's by now.
   *
   * @param owner null: any process may have the claim.
   */
  settle(key: InboxKey, owner: string | null, verdict: Verdict): Promise<boolean>;
  /** Gives a claim back undecided: the same event may come again. */
  release(key: InboxKey, owner: string): Promise<void>;
}

/** The histories: about a thousand entries of each installation are kept, for `historyDays`. */
export interface EventStore {
  recordEvent(entry: EventEntry): Promise<void>;
  recordTokenOperation(entry: TokenOperationEntry): Promise<void>;
}

/** Sessions are stored by the SHA-256 of their token, so that the database holds nothing to steal. */
export interface SessionStore {
  /**
   * Opens a session of a life that goes on and of an instance that may have one. Call it inside
   * {@link Store.transaction}: it and a change that ends the life or the instance wait for each other.
   *
   * @returns `replayed`: this init JWT has opened a session before. `over`: the life has ended, or the
   *   instance was removed.
   */
  createPluginSession(
    tokenHash: string,
    session: PluginSession,
    initJti: string,
  ): Promise<'opened' | 'replayed' | 'over'>;
  /** Undefined when expired, when its installation's generation has ended, or when its instance is not placed any more. */
  findPluginSession(tokenHash: string, now: number): Promise<FoundPluginSession | undefined>;
  createAdminSession(tokenHash: string, session: AdminSession): Promise<void>;
  /** Undefined when it has ended, by either limit. Does not count as its use. */
  findAdminSession(tokenHash: string, now: number): Promise<AdminSession | undefined>;
  /** Moves the end of an idle session forwards, never back; one that has ended stays so. */
  extendAdminSession(tokenHash: string, idleAt: number, now: number): Promise<void>;
  removeAdminSession(tokenHash: string): Promise<void>;
}

/** An operator's session; epoch milliseconds. */
export interface AdminSession {
  /** The absolute limit. */
  expiresAt: number;
  /** When it ends unless it is used before. */
  idleAt: number;
}

export interface KeyLocation {
  /** The URL of a key document. */
  location: string;
  /** When a key of it last verified a signature; by the database's clock, to about a day. */
  usedAt: number;
}

/**
 * Locations of keys that have verified a signature, for all processes: after a restart they are loaded
 * ahead of the made-up ones that strangers name. Holds no key.
 */
export interface KeyLocationStore {
  /** The most recently used first, 512 at most. */
  list(): Promise<KeyLocation[]>;
  /** Notes that the location is in use. Beyond 512, those used longest ago are forgotten. */
  remember(location: string): Promise<void>;
}

export interface InstallationPage {
  installations: InstallationSummary[];
  /** `after` of the next page; null on the last one. */
  next: string | null;
}

/** The data of the dashboard; holds no secret. */
export interface ReportStore {
  /** @throws StoreError `CURSOR_INVALID`. */
  listInstallations(query: InstallationListQuery): Promise<InstallationPage>;
  /**
   * Counts up to `countLimit` each, so that it costs the same however many there are.
   *
   * @param failedSince epoch milliseconds: what counts as recently.
   */
  countInstallations(failedSince: number): Promise<InstallationCounts>;
  describeInstallation(
    id: string,
  ): Promise<Omit<InstallationDetail, 'now' | 'pluginName' | 'requestedScopes'> | undefined>;
}

/**
 * Methods that write more than one row do so in several statements: call them inside
 * {@link Store.transaction}.
 */
export interface Stores {
  installations: InstallationStore;
  grants: GrantStore;
  renewals: RenewalStore;
  inbox: InboxStore;
  events: EventStore;
  sessions: SessionStore;
  keyLocations: KeyLocationStore;
  reports: ReportStore;
}

export interface MaintenanceRequest {
  /** Epoch milliseconds; the database's clock counts where it is behind. */
  now: number;
  /** How long events and token operations are kept. */
  historyDays: number;
  /** Ends the work after the current batch. */
  signal?: AbortSignal;
}

/** How many rows were deleted. */
export interface MaintenanceReport {
  events: number;
  tokenOperations: number;
  inboxEntries: number;
  pluginSessions: number;
  adminSessions: number;
  keyLocations: number;
  /** With all rows that referred to them. */
  installations: number;
}

export interface Store extends Stores {
  /** Runs `work` in one transaction: all of it is durable when the promise resolves, or none. */
  transaction<Result>(work: (stores: Stores) => Promise<Result>): Promise<Result>;
  /**
   * Deletes expired rows in small batches (docs/decisions/0014). Undefined: it
   * is not due; all processes of a database share one schedule, so each may ask as often as it likes.
   */
  maintain(request: MaintenanceRequest): Promise<MaintenanceReport | undefined>;
  /** Calls back with an installation's id after each committed change to it. Returns a function that stops it. */
  onChange(listener: (installationId: string) => void): () => void;
  close(): Promise<void>;
}

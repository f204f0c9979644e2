/**
 * The port of the token client: where grants are kept, and which process may renew them. Points in time are epoch
 * milliseconds, except `iat` of a JWT, which is in seconds. Secrets are always a `Secret`.
 */
import type { InstallationStatus, Secret } from '@dowel/schema';

/** The longest lease, hold, claim or filled token bucket, in milliseconds. A longer one counts as lapsed at once. */
export const longestLeaseMs = 60_000;
/** The longest time before the next refresh or trigger, in milliseconds. A longer one counts as lapsed at once. */
export const longestPauseMs = 1_200_000;

/** An installation as the token client knows it: one life of a plug-in in a tenant. */
export interface InstallationLife {
  /** Kept by the next lives. */
  id: string;
  issuer: string;
  tenantId: string;
  pluginId: string;
  status: InstallationStatus;
  /** The number of the life; never decreases. */
  generation: number;
  /** `iat` of the access_token event whose tokens are stored; null when there are none. */
  appliedIat: number | null;
  /** The platform that these tokens are for; null when there are none. */
  baseUrl: string | null;
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
  /** Null when the platform named none. */
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

/** What is known of a stored token set without decrypting it. */
export interface StoredVersion extends GrantVersion {
  grantedScopes: string[];
  /** An operator has paused the installation: its tokens are not used. */
  isPaused: boolean;
}

export interface Grant extends ClientAccess, TokenSet, GrantVersion {
  /** The tenant: its URL. */
  issuer: string;
  isInDoubt: boolean;
  /** An operator has paused the installation: its tokens are not used. */
  isPaused: boolean;
}

/** The place of an access_token event in the order of events, in seconds. */
export interface EventOrder {
  iat: number;
  /** Tokens of an event later than this are kept; so are those of any later event that arrived during this exchange. */
  newestIat: number;
}

export interface GrantStore {
  /**
   * @throws TokenStoreError `SECRET_INTEGRITY` when one of its secrets does not decrypt, `KEY_UNKNOWN` when
   * another process can decrypt it.
   */
  load(installationId: string): Promise<Grant | undefined>;
  /** Which token set is stored, without decrypting it. */
  findVersion(installationId: string): Promise<StoredVersion | undefined>;
  /**
   * Stores the tokens of an access_token event, unless the installation's life has `ended` or tokens of a
   * newer event are stored already (`superseded`). An event signed after that end belongs to the next life,
   * and begins it if no other event has. Ends the intents of older events; `RenewalStore.endExchange`
   * ends its own.
   */
  replace(
    installation: InstallationLife,
    access: ClientAccess,
    tokens: TokenSet,
    order: EventOrder,
  ): Promise<'stored' | 'superseded' | 'ended'>;
  /**
   * Stores the tokens from a refresh of this version, even if another process has the lease by then: they are
   * the only valid successor of this version. Undefined: a newer version is stored already and is kept. An older one,
   * which the database went back to, is replaced.
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
  /** Unique to the attempt, so that its lease can be told apart if the answer to it is lost. */
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
  /** Unique to the attempt, so that it can be told apart if the answer to its beginning is lost. Default: it cannot. */
  attempt?: string;
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
 * compare-and-swap of `GrantStore` guarantees correctness.
 */
export interface RenewalStore {
  /** @throws TokenStoreError as `GrantStore.load`. Then nothing counts as presented. */
  acquire(version: GrantVersion, request: LeaseRequest): Promise<LeaseOutcome>;
  /**
   * Restarts the time of a lease whose refresh token was not sent yet, even if the lease has lapsed. Nothing is
   * counted.
   *
   * @returns false when another process has taken the next lease, an exchange holds refreshes back, an operator
   * has paused the installation, or another version is stored. Then the lease is gone. It does not count as a presentation, and takes nothing from
   * the token bucket.
   */
  extend(lease: Lease, times: Pick<LeaseRequest, 'leaseMs' | 'intervalMs'>): Promise<boolean>;
  /**
   * Counts the lease of an attempt as not taken, if it is stored: the answer to `acquire` or `extend` was lost, and the
   * refresh token was not sent. May be repeated. The lease of another attempt stays.
   *
   * @returns whether it was stored.
   */
  takeBack(
    version: GrantVersion,
    attempt: Pick<LeaseRequest, 'owner' | 'intervalMs'>,
  ): Promise<boolean>;
  /** Returns a lease after a refresh without tokens. May be repeated. */
  release(lease: Lease, failure: FailedRefresh): Promise<void>;
  /**
   * Records that an event's code is about to be sent, and prevents refreshes for `holdMs`.
   *
   * @returns how often this code was presented without an answer, this time included, and how many earlier
   * presentations of any code may still arrive; undefined when the installation's life has ended, because no
   * secret is stored after that.
   */
  beginExchange(
    installation: InstallationLife,
    intent: ExchangeIntent,
    holdMs: number,
  ): Promise<{ presented: number; unanswered: number } | undefined>;
  /**
   * @param code its digest; or one attempt whose code was not sent. That one may be repeated, and another attempt stays.
   * @returns false if the attempt is not stored, or not the newest one.
   */
  endExchange(
    installationId: string,
    code: string | { attempt: string },
    ending: ExchangeEnding,
  ): Promise<boolean>;
  /**
   * Claims the right to send one trigger. Not possible while an exchange runs.
   *
   * @param pauseMs the time until the next trigger, given how many were sent for this token set before.
   * @param gapMs for an operator's request: this time since the last claim is enough, and the pause is ignored.
   * Default: the pause counts.
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
  ): Promise<Pick<Grant, 'issuer' | 'baseUrl' | 'trigger'> | undefined>;
  /**
   * Installations that only a new event can repair, and whose next trigger is due. They are due again after
   * five seconds, unless a trigger is claimed: so processes that call this at the same time get different ones.
   */
  claimDue(limit: number): Promise<GrantVersion[]>;
}

export interface TokenOperationEntry {
  installationId: string;
  operation: 'exchange' | 'refresh' | 'trigger';
  /** Epoch milliseconds. */
  startedAt: number;
  /** Negative when the clock was set back in between. */
  durationMs: number;
  succeeded: boolean;
  /** The version of the new token set; null when there is none. */
  tokenVersion: number | null;
  /** Why it failed; null when it succeeded. */
  reason: string | null;
}

/** The history of the requests to a platform, for operators. */
export interface TokenHistory {
  recordTokenOperation(entry: TokenOperationEntry): Promise<void>;
}

/** An installation whose token set cannot be renewed. */
export interface FailingGrant extends GrantVersion {
  /** Only a new event can repair it. */
  isDead: boolean;
}

interface UsabilityChange {
  installationId: string;
  generation: number;
  /** The plug-in of the installation, by the name that the back end gave it. */
  plugin: string;
}

/** There has been no usable token since then. */
export type BrokenChange = UsabilityChange & {
  event: 'broken';
  data: { since: number; reason: string };
};

/** There are tokens again. */
export type RecoveredChange = UsabilityChange & {
  event: 'recovered';
  data: { brokenSince: number };
};

/** Called in the transaction in which it happens. It may be called again when that is repeated. */
export type ApplyChange = (
  stores: TokenStores,
  change: BrokenChange | RecoveredChange,
) => Promise<void>;

/** Which installations are without a usable access token. */
export interface BrokenInstallations {
  /**
   * Installations without a usable access token for at least `afterMs`, each for one of the processes that
   * ask. They are due again after `everyMs`.
   */
  claimFailing(claim: { afterMs: number; everyMs: number; limit: number }): Promise<FailingGrant[]>;
  /**
   * Marks an installation as broken that still has no usable token, with the stored cause as the reason.
   * Undefined: it has one, or is marked already. A dead grant is not claimed again once its installation is
   * marked, or if that was never usable.
   */
  markBroken(failing: FailingGrant, limit: { afterMs: number }): Promise<BrokenChange | undefined>;
  /** Call it in the transaction that stores tokens. Undefined: it was not broken. */
  endBroken(installationId: string): Promise<RecoveredChange | undefined>;
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

/**
 * Called with installations whose committed changes the database has lost. Resolves with the number of those whose tokens
 * it has written again.
 */
export type LossListener = (installationIds: readonly string[]) => Promise<number>;

/** What one transaction can use. */
export interface TokenStores {
  grants: GrantStore;
  renewals: RenewalStore;
  /** Default: no history is kept. */
  events?: TokenHistory;
  /** Needed for the option `applied`. */
  usability?: BrokenInstallations;
}

/**
 * Where a token client keeps its tokens: `createMemoryStore` for one process, or `@dowel/installation-store`. Its
 * methods throw a {@link TokenStoreError} for what the client can expect.
 */
export type TokenStore<Stores extends TokenStores = TokenStores> = Stores & {
  /**
   * Runs `work` in one transaction. When the promise resolves, all of it is durable. When it rejects, nothing was
   * written, with one exception: after `DATABASE_UNAVAILABLE` without `isUnwritten`, all of it may be.
   *
   * @throws what `work` throws; TokenStoreError `DATABASE_UNAVAILABLE`.
   */
  transaction<Result>(
    work: (stores: Stores) => Promise<Result>,
    options?: TransactionOptions,
  ): Promise<Result>;
  /**
   * Calls back after each committed change to an installation, by any process. Its own changes are announced
   * at once, those of others within about a second while the database is available
   * (docs/decisions/0031-heard-changes.md). Returns a function that stops it.
   */
  onChange(listener: StoreListener): () => void;
  /**
   * Calls back after a failover to a database that lacks committed changes, before any token set is renewed. Default: the
   * database loses nothing.
   */
  onLoss?(listener: LossListener): () => void;
  /** Whether the database cannot be used now. Default: no. */
  isAway?(): boolean;
};

/** Why a store could not do what it was asked for. Other errors are not expected, and passed on. */
export interface TokenStoreError extends Error {
  /**
   * `DATABASE_UNAVAILABLE`: try again later. `SECRET_INTEGRITY`: a stored secret does not decrypt; a new event repairs it.
   * `KEY_UNKNOWN`: another process can decrypt it.
   */
  code: 'DATABASE_UNAVAILABLE' | 'SECRET_INTEGRITY' | 'KEY_UNKNOWN';
  /** True: the write is certainly not stored. */
  isUnwritten: boolean;
  /** Of `DATABASE_UNAVAILABLE`: `answers` if the database does not answer and may do so again within seconds. */
  lack?: 'answers' | 'writes';
}

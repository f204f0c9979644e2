/** Which process may renew a token set: leases, exchanges and triggers. Points in time are epoch milliseconds, except `iat`, which is in seconds. */
import type { ClientAccess, Grant, GrantVersion } from './grant-store.ts';
import type { Installation } from './installation-store.ts';

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
  /** @throws StoreError as `GrantStore.load`. Then nothing counts as presented. */
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
    installation: Installation,
    intent: ExchangeIntent,
    holdMs: number,
  ): Promise<{ presented: number; unanswered: number } | undefined>;
  endExchange(installationId: string, codeDigest: string, ending: ExchangeEnding): Promise<void>;
  /**
   * Ends an attempt whose code was not sent, as `unspent`, if it is stored and the newest one. May be repeated. Another
   * attempt stays.
   *
   * @returns whether it was stored.
   */
  takeBackExchange(installationId: string, attempt: string): Promise<boolean>;
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

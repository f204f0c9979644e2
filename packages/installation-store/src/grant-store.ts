/** Grants: what one access_token event gave an installation, and its current token set. Points in time are epoch milliseconds, except `iat`, which is in seconds. */
import type { Secret } from '@dowel/schema';
import type { Installation } from './installation-store.ts';

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
   * and begins it if no other event has. Ends the intents of older events; `RenewalStore.endExchange`
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

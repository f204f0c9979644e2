/** Sessions of the plug-in's pages and of operators. Points in time are epoch milliseconds. */
import type { AdminSession } from './account-store.ts';

/** A session of a plug-in's page. */
export interface PluginSession {
  installationId: string;
  generation: number;
  userId: string;
  instanceId: string;
  expiresAt: number;
}

/** Claims of an init JWT, such as `ctx.userName` and `cfg.colour`. */
export type PageClaims = Readonly<Record<string, unknown>>;

/** The page that opens a session. */
export interface OpeningPage {
  /** How it named its place: see `InstanceLookup`. */
  match: 'placed' | 'derived' | 'unknown' | 'unmatched';
  /** `describeSrc` of what it sent. */
  form: string;
  /** They are sealed at rest, and end with the session. */
  claims: PageClaims;
}

/** An open session, with what a call of its page needs to know of the installation. */
export interface FoundPluginSession extends PluginSession {
  issuer: string;
  tenantId: string;
  pluginId: string;
  /** See `Installation`. */
  plugin: string;
  /** Those that the page opened it with; empty without. */
  claims: PageClaims;
  /** The scopes of the stored tokens; empty when there are none. */
  grantedScopes: readonly string[];
}

/** The plug-in and the time that a session nonce is made for. */
export interface SessionNonce {
  /** The plug-in's name in the store; '' for the only one. */
  plugin: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

/** Sessions, stored by the SHA-256 of their token, so that the database contains no usable token. */
export interface SessionStore {
  /** A nonce for the `jti` of an init JWT. Nothing is stored for it: it is marked with a key of the database. */
  createNonce(nonce: SessionNonce): string;
  /** Whether a process of this database made this nonce for this plug-in, and it has not expired. */
  isNonceFresh(nonce: string, asked: { plugin: string; now: number }): boolean;
  /**
   * Opens a session if the life continues and the instance may have one. Call it inside `Store.transaction`, so that
   * it cannot overlap with a change that ends the life or the instance. Notes how the page named its place.
   *
   * @returns `replayed`: this init JWT has opened a session before. `over`: the life has ended, or the
   *   instance was removed.
   */
  createPluginSession(
    tokenHash: string,
    session: PluginSession,
    initJti: string,
    page?: OpeningPage,
  ): Promise<'opened' | 'replayed' | 'over'>;
  /**
   * Undefined if the session has expired, its installation's generation has ended, or its instance was removed. On
   * SQLite, what another process commits counts from the next turn of the event loop.
   */
  findPluginSession(tokenHash: string, now: number): Promise<FoundPluginSession | undefined>;
  createAdminSession(tokenHash: string, session: AdminSession): Promise<void>;
  /** Undefined when one of its two limits has passed, or its account was changed. Does not count as use. */
  findAdminSession(tokenHash: string, now: number): Promise<AdminSession | undefined>;
  /** Moves the end of an idle session forward, never back. An ended session stays ended. */
  extendAdminSession(tokenHash: string, idleAt: number, now: number): Promise<void>;
  removeAdminSession(tokenHash: string): Promise<void>;
}

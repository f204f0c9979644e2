/** Sessions of plug-ins' pages and of operators. */
import { Secret, splitScope } from '@dowel/schema';
import { type SqlBool, sql } from 'kysely';
import { StoreError } from '../errors.ts';
import type { Keyring } from '../sealing/keyring.ts';
import { openStored } from '../sealing/seal-grant.ts';
import { placeOfSession } from '../sealing/sealed-columns.ts';
import { type Parameter, prepare } from '../sql/prepare.ts';
import { type AdminSession, selectSessions, sessionOf } from './account-store.ts';
import { mayHaveSessions } from './instance-rules.ts';
import { createNonce, isNonceFresh, type SessionNonce } from './session-nonces.ts';
import type { StoreContext } from './store-context.ts';

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

type Context = Pick<StoreContext, 'db' | 'locksRows' | 'keyring' | 'changed'>;

/**
 * Sessions, stored by the SHA-256 of their token, so that the database contains no usable token. Points in time are
 * epoch milliseconds. Its methods throw the database's errors.
 */
export function createSessionStore(context: Context) {
  return {
    /** A nonce for the `jti` of an init JWT. Nothing is stored for it: it is marked with a key of the database. */
    createNonce: (nonce: SessionNonce) => createNonce(context, nonce),
    /** Whether a process of this database made this nonce for this plug-in, and it has not expired. */
    isNonceFresh: (nonce: string, asked: { plugin: string; now: number }) =>
      isNonceFresh(context, nonce, asked),
    /**
     * Opens a session if the life continues and the instance may have one. Call it inside `Store.transaction`, so that
     * it cannot overlap with a change that ends the life or the instance. Notes how the page named its place.
     *
     * @returns `replayed`: this init JWT has opened a session before. `over`: the life has ended, or the
     *   instance was removed.
     */
    createPluginSession: (
      tokenHash: string,
      session: PluginSession,
      initJti: string,
      page = pageWithoutClaims,
    ) => createPluginSession(context, { tokenHash, session, initJti, page }),
    /**
     * Undefined if the session has expired, its installation's generation has ended, or its instance was removed: see
     * `rememberSessions` for when that counts.
     */
    findPluginSession: (tokenHash: string, now: number) =>
      findPluginSession(context, tokenHash, now),
    /** @param idToken of the sign-in at an identity provider. It is sealed at rest, and ends with the session. */
    createAdminSession: (tokenHash: string, session: AdminSession, idToken?: Secret) =>
      createAdminSession(context, { tokenHash, session, idToken }),
    /** The ID token that the session was opened with. Undefined: there is none, or it cannot be read. */
    findIdToken: (tokenHash: string) => findIdToken(context, tokenHash),
    /** Undefined when one of its two limits has passed, or its account was changed. Does not count as use. */
    findAdminSession: (tokenHash: string, now: number) => findAdminSession(context, tokenHash, now),
    /** Moves the end of an idle session forward, never back. An ended session stays ended. */
    extendAdminSession: (tokenHash: string, idleAt: number, now: number) =>
      extendAdminSession(context, tokenHash, { idleAt, now }),
    removeAdminSession: (tokenHash: string) => removeAdminSession(context, tokenHash),
  };
}

const pageWithoutClaims: OpeningPage = { match: 'unknown', form: '', claims: {} };

interface Opening {
  tokenHash: string;
  session: PluginSession;
  initJti: string;
  page: OpeningPage;
}

async function createPluginSession(
  context: Context,
  { tokenHash, session, initJti, page }: Opening,
): Promise<'opened' | 'replayed' | 'over'> {
  const { db, locksRows, keyring } = context;
  const { installationId, generation, userId, instanceId, expiresAt } = session;
  const isUnmatched = page.match === 'unmatched';
  await notePlace(context, installationId, page);
  const live = await db
    .selectFrom('installations')
    .select('id')
    .where('id', '=', installationId)
    .where('generation', '=', generation)
    .where('status', '!=', 'uninstalled')
    .where('awaits_admission', '=', 0)
    // Blocks changes that end sessions; does not block the opening of other sessions.
    // control G05
    .$if(locksRows, (query) => query.forShare())
    .executeTakeFirst();
  // A separate statement, because it sees an instance that was removed during the wait for the lock.
  const placed = await db
    .selectFrom('installations')
    .select('id')
    .where('id', '=', installationId)
    .where(mayHaveSessions(sql.ref('installations.id'), sql`${instanceId}`))
    .executeTakeFirst();
  if (!live || !(placed || isUnmatched)) return 'over';
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('plugin_sessions')
    .values({
      token_hash: tokenHash,
      installation_id: installationId,
      generation,
      user_id: userId,
      instance_id: instanceId,
      init_jti: initJti,
      expires_at: expiresAt,
      unmatched: isUnmatched ? 1 : 0,
      // control K11
      claims_sealed: sealClaims(keyring, tokenHash, page.claims),
    })
    .onConflict((conflict) => conflict.columns(['installation_id', 'init_jti']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n ? 'opened' : 'replayed';
}

/** Writes only what changes, so most sessions are opened without it. A derived instance proves no form of `src`. */
async function notePlace(
  { db, changed }: Context,
  installationId: string,
  { match, form }: OpeningPage,
): Promise<void> {
  if (match === 'unknown' || match === 'derived') return;
  const { numUpdatedRows } = await db
    .updateTable('installations')
    .set(match === 'placed' ? { src_matched: 1, src_form: null } : { src_form: form })
    .where('id', '=', installationId)
    .where('src_matched', '=', 0)
    .$if(match === 'unmatched', (query) => query.where('src_form', 'is', null))
    .executeTakeFirst();
  if (numUpdatedRows > 0n) changed(installationId);
}

function sealClaims(keyring: Keyring, tokenHash: string, claims: PageClaims): string | null {
  if (Object.keys(claims).length === 0) return null;
  return keyring.encrypt(
    new Secret(JSON.stringify(claims)),
    placeOfSession('plugin_sessions', tokenHash),
  );
}

/**
 * Undefined: they are damaged, so the session has ended.
 *
 * @throws StoreError `KEY_UNKNOWN`.
 */
async function openClaims(
  { db, keyring }: Context,
  tokenHash: string,
  { claimsSealed, installationId }: { claimsSealed: string | null; installationId: string },
): Promise<PageClaims | undefined> {
  if (claimsSealed === null) return {};
  try {
    return await openStored(db, installationId, () =>
      JSON.parse(
        keyring.decrypt(claimsSealed, placeOfSession('plugin_sessions', tokenHash)).reveal(),
      ),
    );
  } catch (error) {
    if (error instanceof StoreError && error.code === 'SECRET_INTEGRITY') return undefined;
    throw error;
  }
}

async function findPluginSession(
  context: Context,
  tokenHash: string,
  now: number,
): Promise<FoundPluginSession | undefined> {
  const { rows } = await selectPluginSession(context, { tokenHash, now });
  const [row] = rows;
  if (!row) return undefined;
  const { claimsSealed, grantedScopes, ...session } = row;
  const { installationId } = session;
  const claims = await openClaims(context, tokenHash, { claimsSealed, installationId });
  return claims && { ...session, claims, grantedScopes: splitScope(grantedScopes ?? '') };
}

const selectPluginSession = prepare(
  ({ db }: Context, asked: Parameter<{ tokenHash: string; now: number }>) =>
    db
      .selectFrom('plugin_sessions as session')
      .innerJoin('installations as installation', (join) =>
        join
          .onRef('installation.id', '=', 'session.installation_id')
          .onRef('installation.generation', '=', 'session.generation'),
      )
      .leftJoin('grants', (join) =>
        join
          .onRef('grants.installation_id', '=', 'session.installation_id')
          .onRef('grants.generation', '=', 'session.generation'),
      )
      .select([
        'session.installation_id as installationId',
        'installation.issuer',
        'installation.tenant_id as tenantId',
        'installation.plugin_id as pluginId',
        'installation.plugin',
        'session.generation',
        'session.user_id as userId',
        'session.instance_id as instanceId',
        'session.expires_at as expiresAt',
        'session.claims_sealed as claimsSealed',
        'grants.granted_scopes as grantedScopes',
      ])
      .where('session.token_hash', '=', asked('tokenHash'))
      .where('session.expires_at', '>', asked('now'))
      .where('installation.status', '!=', 'uninstalled')
      // Checked on each call, so that a removal ends the session on every process at once.
      .where(
        sql<SqlBool>`(session.unmatched = 1 or ${mayHaveSessions(sql.ref('installation.id'), sql.ref('session.instance_id'))})`,
      ),
);

async function createAdminSession(
  { db, keyring }: Context,
  {
    tokenHash,
    session,
    idToken,
  }: { tokenHash: string; session: AdminSession; idToken: Secret | undefined },
): Promise<void> {
  const { accountRevision, createdAt, expiresAt, idleAt, identity, ...operator } = session;
  await db
    .insertInto('admin_sessions')
    .values({
      ...operator,
      token_hash: tokenHash,
      identity: JSON.stringify(identity),
      account_revision: accountRevision,
      created_at: createdAt,
      expires_at: expiresAt,
      idle_at: idleAt,
      id_token_sealed: idToken
        ? keyring.encrypt(idToken, placeOfSession('admin_sessions', tokenHash))
        : null,
    })
    .execute();
}

async function findIdToken(
  { db, keyring }: Context,
  tokenHash: string,
): Promise<Secret | undefined> {
  const row = await db
    .selectFrom('admin_sessions')
    .select('id_token_sealed as sealed')
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst();
  if (!row?.sealed) return undefined;
  try {
    return keyring.decrypt(row.sealed, placeOfSession('admin_sessions', tokenHash));
  } catch (error) {
    if (error instanceof StoreError) return undefined;
    throw error;
  }
}

async function findAdminSession(
  context: Context,
  tokenHash: string,
  now: number,
): Promise<AdminSession | undefined> {
  const row = await selectSessions(context, now)
    .where('session.token_hash', '=', tokenHash)
    .executeTakeFirst();
  return row && sessionOf(row);
}

async function extendAdminSession(
  { db }: Context,
  tokenHash: string,
  { idleAt, now }: { idleAt: number; now: number },
): Promise<void> {
  await db
    .updateTable('admin_sessions')
    .set({ idle_at: idleAt })
    .where('token_hash', '=', tokenHash)
    .where('idle_at', '>', now)
    .where('idle_at', '<', idleAt)
    .execute();
}

async function removeAdminSession({ db }: Context, tokenHash: string): Promise<void> {
  await db.deleteFrom('admin_sessions').where('token_hash', '=', tokenHash).execute();
}

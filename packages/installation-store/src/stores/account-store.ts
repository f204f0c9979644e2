/** Accounts, one-time codes and sessions of operators in SQL. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import {
  type DashboardLanguage,
  dashboardLanguageSchema,
  type OperatorIdentity,
  type OperatorRole,
  operatorIdentitySchema,
  type PasswordLinkState,
  type SignInMethod,
} from '@dowel/admin-api';
import { Secret } from '@dowel/schema';
import type { Kysely, Transaction, Updateable } from 'kysely';
import type { Tables } from '../sql/tables.ts';

/** An operator's session. Points in time are epoch milliseconds. */
export interface AdminSession {
  /** A UUID. Names the session without being its token. */
  id: string;
  /** The operator's name: a label. */
  name: string;
  role: OperatorRole;
  method: SignInMethod;
  /** Decides which sessions are the operator's own. */
  identity: OperatorIdentity;
  /**
   * The revision of the account, after a sign-in with its password. The session ends when the account gets
   * another revision.
   */
  accountRevision: string | null;
  createdAt: number;
  /** The absolute limit. */
  expiresAt: number;
  /** When it ends if it is not used. */
  idleAt: number;
  /** Of the sign-in; null: unknown. */
  address: string | null;
  /** Such as `Firefox`; null: unknown. */
  browser: string | null;
  /** The operating system, such as `Linux`; null: unknown. */
  system: string | null;
}

export interface OperatorAccount {
  /** Unique, in lower case. */
  name: string;
  role: OperatorRole;
  /** Epoch milliseconds. */
  createdAt: number;
}

/** An account in the list of all. */
export interface ListedAccount extends OperatorAccount {
  hasPassword: boolean;
  /** The end of the link for a password that was not used yet, in epoch milliseconds; it may have passed. */
  linkExpiresAt: number | null;
}

/** What a sign-in by password needs. */
export interface AccountPassword extends OperatorAccount {
  /** A result of `hashPassword`; empty before the person has set a password. */
  passwordHash: Secret;
  /** Replaced by each change of role or password. */
  revision: string;
}

/** A link with a code may stay in a terminal's history. `dowel sign-in` makes another one. */
export const signInCodeLifetimeMs = 10 * 60 * 1000;

/** A link for a password reaches a person by mail or chat, who may be away for a weekend. */
export const passwordLinkLifetimeMs = 72 * 60 * 60 * 1000;

export interface SignInCodeRequest {
  /** The name of the operator who signs in with it. */
  name: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

interface Context {
  db: Kysely<Tables> | Transaction<Tables>;
}

/** The operators of one database. Its methods throw the database's errors. */
export function createAccountStore({ db }: Context) {
  return {
    /** Makes a one-time code for an owner. Only its digest is stored, so every process of the database takes it. */
    createSignInCode: (request: SignInCodeRequest) => createSignInCode({ db }, request),
    /** Uses a code up. Undefined: it is unknown, was used before, or is too old. */
    redeemSignInCode: (code: string, now: number) => redeemSignInCode({ db }, code, now),
    /** Adds an account without a password. False: the name is taken. */
    addAccount: (account: OperatorAccount) => addAccount({ db }, account),
    /** By name. */
    listAccounts: () => listAccounts({ db }),
    /**
     * Makes the code of a link with which a person sets the account's password, once. Only its digest is stored. It
     * replaces the one before it. Undefined: there is no such account.
     */
    createPasswordLink: (name: string, expiresAt: number) =>
      createPasswordLink({ db }, name, expiresAt),
    findPasswordLink: (code: string, now: number) => findPasswordLink({ db }, code, now),
    /** Uses a link up, and ends the account's sessions. Undefined: the link is not open. */
    redeemPasswordLink: (code: string, passwordHash: Secret, now: number) =>
      redeemPasswordLink({ db }, { code, passwordHash, now }),
    findAccount: (name: string) => findAccount({ db }, name),
    /** Ends the account's sessions on every process. False: there is no such account. */
    changeRole: (name: string, role: OperatorRole) =>
      changeAccount({ db }, name, { role, revision: randomUUID() }),
    /**
     * Ends the account's sessions on every process, and its link. False: there is no such account. Call it inside
     * `Store.transaction` to keep a session.
     *
     * @param keptSession the hash of the token of the one session that goes on
     */
    changePassword: (name: string, passwordHash: Secret, keptSession?: string) =>
      changePassword({ db }, { name, passwordHash, keptSession }),
    /** Ends the account's sessions on every process. False: there is no such account. */
    async removeAccount(name: string): Promise<boolean> {
      await db
        .deleteFrom('operator_languages')
        .where('method', '=', 'password')
        .where('name', '=', name)
        .execute();
      const query = db.deleteFrom('operator_accounts').where('name', '=', name);
      return (await query.executeTakeFirst()).numDeletedRows > 0n;
    },
    /** Stores the language that an operator chose for the dashboard. Not every operator has an account. */
    chooseLanguage: (operator: OperatorIdentity, language: DashboardLanguage) =>
      chooseLanguage({ db }, { ...languageKeyOf(operator), language }),
    /** Undefined: the operator has chosen none. */
    findLanguage: (operator: OperatorIdentity) => findLanguage({ db }, operator),
    /** The sessions that have not ended, the newest first. */
    async listSessions(now: number): Promise<AdminSession[]> {
      const query = selectSessions({ db }, now).orderBy('session.created_at', 'desc');
      return (await query.execute()).map(sessionOf);
    },
    /** Ends a session on every process. False: there is no such session. */
    async endSession(id: string): Promise<boolean> {
      const query = db.deleteFrom('admin_sessions').where('id', '=', id);
      return (await query.executeTakeFirst()).numDeletedRows > 0n;
    },
  };
}

async function chooseLanguage(
  { db }: Context,
  { method, name, language }: Tables['operator_languages'],
): Promise<void> {
  await db
    .insertInto('operator_languages')
    .values({ method, name, language })
    .onConflict((conflict) => conflict.columns(['method', 'name']).doUpdateSet({ language }))
    .execute();
}

/** An account's language is found by its name alone, because its removal takes the language along. */
function languageKeyOf({ method, issuer, subject }: OperatorIdentity) {
  return { method, name: issuer === null ? subject : `${issuer} ${subject}` };
}

async function findLanguage(
  { db }: Context,
  operator: OperatorIdentity,
): Promise<DashboardLanguage | undefined> {
  const { method, name } = languageKeyOf(operator);
  const row = await db
    .selectFrom('operator_languages')
    .select('language')
    .where('method', '=', method)
    .where('name', '=', name)
    .executeTakeFirst();
  // A newer version may have stored one that this one does not know.
  return dashboardLanguageSchema.safeParse(row?.language).data;
}

/** 256 random bits need no limit of attempts. A limit would let a stranger lock operators out. */
async function createSignInCode(
  { db }: Context,
  { name, expiresAt }: SignInCodeRequest,
): Promise<string> {
  const code = createCode();
  await db
    .insertInto('sign_in_codes')
    .values({ digest: digestOf(code), name, expires_at: expiresAt })
    .execute();
  return code;
}

async function redeemSignInCode(
  { db }: Context,
  code: string,
  now: number,
): Promise<{ name: string } | undefined> {
  const digest = digestOf(code);
  const known = await db
    .selectFrom('sign_in_codes')
    .select('name')
    .where('digest', '=', digest)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  // A wrong guess writes nothing.
  if (!known) return undefined;
  const { numDeletedRows } = await db
    .deleteFrom('sign_in_codes')
    .where('digest', '=', digest)
    .executeTakeFirst();
  // Of several requests with one code, one deletes it.
  return numDeletedRows === 1n ? known : undefined;
}

function createCode(): string {
  return randomBytes(32).toString('base64url');
}

function digestOf(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}

async function createPasswordLink(
  { db }: Context,
  name: string,
  expiresAt: number,
): Promise<string | undefined> {
  const code = createCode();
  const { numUpdatedRows } = await db
    .updateTable('operator_accounts')
    .set({ link_digest: digestOf(code), link_expires_at: expiresAt })
    .where('name', '=', name)
    .executeTakeFirst();
  return numUpdatedRows === 1n ? code : undefined;
}

async function findPasswordLink(
  { db }: Context,
  code: string,
  now: number,
): Promise<PasswordLinkState> {
  const row = await db
    .selectFrom('operator_accounts')
    .select(['name', 'link_expires_at as expiresAt'])
    .where('link_digest', '=', digestOf(code))
    .executeTakeFirst();
  if (!row) return { state: 'unknown' };
  const { name, expiresAt } = row;
  if (expiresAt === null) return { state: 'used' };
  return expiresAt > now ? { state: 'open', name, expiresAt } : { state: 'expired' };
}

/** Of several requests with one code, one changes the row. */
async function redeemPasswordLink(
  { db }: Context,
  { code, passwordHash, now }: { code: string; passwordHash: Secret; now: number },
): Promise<Pick<AccountPassword, 'name' | 'role' | 'revision'> | undefined> {
  return db
    .updateTable('operator_accounts')
    .set({ ...credential(passwordHash), link_expires_at: null })
    .where('link_digest', '=', digestOf(code))
    .where('link_expires_at', '>', now)
    .returning(['name', 'role', 'revision'])
    .executeTakeFirst();
}

async function changePassword(
  { db }: Context,
  {
    name,
    passwordHash,
    keptSession,
  }: { name: string; passwordHash: Secret; keptSession: string | undefined },
): Promise<boolean> {
  const change = credential(passwordHash);
  const noLink = { link_digest: null, link_expires_at: null };
  const isChanged = await changeAccount({ db }, name, { ...change, ...noLink });
  if (isChanged && keptSession !== undefined) {
    await db
      .updateTable('admin_sessions')
      .set({ account_revision: change.revision })
      .where('token_hash', '=', keptSession)
      .execute();
  }
  return isChanged;
}

function credential(passwordHash: Secret) {
  return { password_hash: passwordHash.reveal(), revision: randomUUID() };
}

async function listAccounts({ db }: Context): Promise<ListedAccount[]> {
  const rows = await db
    .selectFrom('operator_accounts')
    .select(['name', 'role', 'created_at', 'password_hash', 'link_expires_at'])
    .orderBy('name')
    .execute();
  return rows.map(({ name, role, created_at, password_hash, link_expires_at }) => ({
    name,
    role,
    createdAt: created_at,
    hasPassword: password_hash !== '',
    linkExpiresAt: link_expires_at,
  }));
}

async function addAccount(
  { db }: Context,
  { name, role, createdAt }: OperatorAccount,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('operator_accounts')
    .values({ name, role, created_at: createdAt, ...credential(new Secret('')) })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

async function findAccount({ db }: Context, name: string): Promise<AccountPassword | undefined> {
  const row = await db
    .selectFrom('operator_accounts')
    .select(['name', 'role', 'created_at as createdAt', 'revision', 'password_hash'])
    .where('name', '=', name)
    .executeTakeFirst();
  if (!row) return undefined;
  const { password_hash, ...account } = row;
  return { ...account, passwordHash: new Secret(password_hash) };
}

/** The revision ends the account's sessions: {@link selectSessions} joins on it. */
async function changeAccount(
  { db }: Context,
  name: string,
  change: { revision: string } & Updateable<Tables['operator_accounts']>,
): Promise<boolean> {
  const query = db.updateTable('operator_accounts').set(change).where('name', '=', name);
  return (await query.executeTakeFirst()).numUpdatedRows > 0n;
}

/**
 * The sessions within both limits. One that was opened with a password lives as long as its account is
 * unchanged, also if the change came during the sign-in.
 */
export function selectSessions({ db }: Context, now: number) {
  return db
    .selectFrom('admin_sessions as session')
    .leftJoin('operator_accounts as account', 'account.revision', 'session.account_revision')
    .select([
      'session.id',
      'session.name',
      'session.role',
      'session.method',
      'session.identity',
      'session.account_revision as accountRevision',
      'session.created_at as createdAt',
      'session.expires_at as expiresAt',
      'session.idle_at as idleAt',
      'session.address',
      'session.browser',
      'session.system',
    ])
    .where('session.expires_at', '>', now)
    .where('session.idle_at', '>', now)
    .where((eb) =>
      eb.or([eb('session.account_revision', 'is', null), eb('account.name', 'is not', null)]),
    )
    .$castTo<SessionRow>();
}

type SessionRow = Omit<AdminSession, 'identity'> & { identity: string | null };

/** Of a session that an older version opened, the name is all that is known. */
export function sessionOf({ identity, ...session }: SessionRow): AdminSession {
  const { method, name: subject } = session;
  const known = identity === null ? undefined : readIdentity(identity);
  return { ...session, identity: known ?? { method, issuer: null, subject } };
}

/** Undefined: another version wrote it. */
export function readIdentity(text: string): OperatorIdentity | undefined {
  return operatorIdentitySchema.safeParse(JSON.parse(text)).data;
}

/** The port for the dashboard's operators: their accounts, one-time codes and sessions. */
import type {
  DashboardLanguage,
  OperatorIdentity,
  OperatorRole,
  SignInMethod,
} from '@dowel/admin-api';
import type { Secret } from '@dowel/schema';

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
}

export interface OperatorAccount {
  /** Unique, in lower case. */
  name: string;
  role: OperatorRole;
  /** Epoch milliseconds. */
  createdAt: number;
}

/** What a sign-in by password needs. */
export interface AccountPassword extends OperatorAccount {
  /** A result of `hashPassword`. */
  passwordHash: Secret;
  /** Replaced by each change of role or password. */
  revision: string;
}

/** A link with a code may stay in a terminal's history. `dowel sign-in` makes another one. */
export const signInCodeLifetimeMs = 10 * 60 * 1000;

export interface SignInCodeRequest {
  /** The name of the operator who signs in with it. */
  name: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

export interface AccountStore {
  /** Makes a one-time code for an owner. Only its digest is stored, so every process of the database takes it. */
  createSignInCode(request: SignInCodeRequest): Promise<string>;
  /** Uses a code up. Undefined: it is unknown, was used before, or is too old. */
  redeemSignInCode(code: string, now: number): Promise<{ name: string } | undefined>;
  /** False: the name is taken. */
  addAccount(account: OperatorAccount, passwordHash: Secret): Promise<boolean>;
  /** By name. */
  listAccounts(): Promise<OperatorAccount[]>;
  findAccount(name: string): Promise<AccountPassword | undefined>;
  /** Ends the account's sessions on every process. False: there is no such account. */
  changeRole(name: string, role: OperatorRole): Promise<boolean>;
  /** Ends the account's sessions on every process. False: there is no such account. */
  changePassword(name: string, passwordHash: Secret): Promise<boolean>;
  /** Ends the account's sessions on every process. False: there is no such account. */
  removeAccount(name: string): Promise<boolean>;
  /** Stores the language that an operator chose for the dashboard. Not every operator has an account. */
  chooseLanguage(operator: OperatorIdentity, language: DashboardLanguage): Promise<void>;
  /** Undefined: the operator has chosen none. */
  findLanguage(operator: OperatorIdentity): Promise<DashboardLanguage | undefined>;
  /** The sessions that have not ended, the newest first. */
  listSessions(now: number): Promise<AdminSession[]>;
  /** Ends a session on every process. False: there is no such session. */
  endSession(id: string): Promise<boolean>;
}

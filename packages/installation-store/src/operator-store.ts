/**
 * The port of what operators do: the audit, and the changes to one installation
 * (docs/decisions/0043-operator-actions.md). Points in time are by the database's clock.
 */
import type {
  AuditEntry,
  AuditedAction,
  AuditList,
  AuditMeaning,
  AuditQuery,
  AuditResult,
  OperatorIdentity,
} from '@dowel/admin-api';
import type { InstallationStatus } from '@dowel/schema';

/** An action that begins. */
export type NewAuditEntry = Omit<
  AuditEntry,
  'id' | 'at' | 'action' | 'result' | 'detail' | 'meaning' | 'identity' | 'count' | 'lastAt'
> & {
  action: AuditedAction;
  /** Left out or null: the machine's user, by a command. */
  identity?: OperatorIdentity | null | undefined;
};

/** The result. */
export interface AuditEnding {
  result: Exclude<AuditResult, 'begun'>;
  /** In English, or the answer of another system. Contains no secret. */
  detail: string | null;
  /** The meaning of `detail`. Left out if `detail` is the answer of another system. */
  meaning?: AuditMeaning;
}

/** The record of what operators did. No method changes or deletes a row whose result is written; a refusal counts its repetitions. */
export interface AuditStore {
  /** Writes the row before the action, so that no action is without one. @returns the row's id. */
  begin(entry: NewAuditEntry): Promise<number>;
  /**
   * Writes the result, once. If the role forbade the operator the same action within a day, that row counts this one, and this
   * one is gone: a role that may not act decides by no means how much is stored.
   */
  end(id: number, ending: AuditEnding): Promise<void>;
  /** The newest first. @throws StoreError `CURSOR_INVALID`. */
  list(query: AuditQuery): Promise<AuditList>;
}

/** What decides whether an operator's action makes sense. Contains no secret. */
export interface OperatedInstallation {
  id: string;
  issuer: string;
  /** The name that an operator gave it; '' without one. */
  name: string;
  notes: string;
  status: InstallationStatus;
  generation: number;
  /** Null while it is not paused. `by` is '' when it rests by itself, because its tenant has a newer address. */
  pause: { at: number; by: string; reason: string } | null;
  /** The tenant has this plug-in under another issuer, too, with tokens of a newer event. */
  hasNewerAddress: boolean;
  /** When the last uninstall came; null while the installation lives. */
  endedAt: number | null;
  /** Until when an uninstalled record is kept, beyond the usual time; null: not longer. */
  keptUntil: number | null;
  /** An access_token event of this generation was refused, and it never had tokens. */
  isInstallRefused: boolean;
  /** An operator has seen the refused install of this generation. */
  isAcknowledged: boolean;
  /** The stored token set; null without one. */
  token: { version: number; expiresAt: number | null; hasRefreshToken: boolean } | null;
}

/** A user of the platform. */
export interface ErasedUser {
  userId: string;
  /** Left out: in every tenant. */
  tenantId?: string | undefined;
}

/** Each method is one change; `false`: the installation was in this state already, or is gone. */
export interface OperatorStore {
  find(id: string): Promise<OperatedInstallation | undefined>;
  /**
   * From the commit on, no lease and no trigger is granted, and nothing is healed or probed, in any process. It
   * ends only by {@link resume}: an uninstall or install does not end it. It takes the place of a rest.
   */
  pause(id: string, pause: { by: string; reason: string }): Promise<boolean>;
  /** Ends a pause, and the rest of an installation whose tenant has a newer address. */
  resume(id: string): Promise<boolean>;
  /** Ends the open sessions of its pages. @returns how many. `now` in epoch milliseconds. */
  endSessions(id: string, now: number): Promise<number>;
  /** Keeps the tombstone until then, if that is later than the usual time. */
  keepUntil(id: string, until: number): Promise<boolean>;
  /**
   * Deletes a tombstone whose life ended `endedForMs` ago or earlier, with everything that refers to it. Its rows in
   * the audit stay.
   */
  purge(id: string, endedForMs: number): Promise<boolean>;
  /** Members that are left out stay unchanged. */
  describe(id: string, description: { name?: string; notes?: string }): Promise<boolean>;
  /** Marks the refused install of this generation as seen. A later one is not marked. */
  acknowledge(id: string, generation: number): Promise<boolean>;
  /**
   * Removes the user's id from the sessions of pages, and ends these sessions. Their rows stay, because they record
   * which init JWTs were used.
   *
   * @returns how many rows had the id.
   */
  eraseUser(user: ErasedUser): Promise<number>;
  /**
   * A mark of a user's id for the audit: equal for equal ids while the active key is the same, and of no use without
   * the key.
   */
  fingerprintOf(userId: string): string;
}

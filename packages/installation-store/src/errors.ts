import type { Reason } from '@dowel/schema';

export type StoreErrorCode =
  /**
   * A stored value does not decrypt: it was damaged or moved, or its key is lost. A new event repairs its
   * installation.
   */
  | 'SECRET_INTEGRITY'
  /** A stored value is sealed with a key of this database that this process lacks. Fix its key file; nothing is lost. */
  | 'KEY_UNKNOWN'
  /** The encryption key file cannot be read, or does not hold a key. Fix the file; nothing was written. */
  | 'KEY_UNUSABLE'
  /** There is no encryption key file. Put it there, or create one; nothing was written. */
  | 'KEY_MISSING'
  /** The database was sealed with other keys than the key file's. Put the right file there; nothing was written. */
  | 'KEY_WRONG'
  /** The database cannot be opened or migrated. It does not recover by itself. */
  | 'DATABASE_UNUSABLE'
  /** A newer version has migrated the database. Start that one, or restore a backup; nothing was written. */
  | 'SCHEMA_TOO_NEW'
  /** The database cannot be reached, or is too busy: `reason` says which. Try again later. */
  | 'DATABASE_UNAVAILABLE'
  /** The cursor of a page is malformed. Start with the first page. */
  | 'CURSOR_INVALID';

/** Why the database is unavailable, as in the closed list of `@dowel/schema`. */
export type DatabaseReason = Extract<Reason, 'database_busy' | 'database_unreachable'>;

interface StoreErrorOptions extends ErrorOptions {
  installationId?: string;
  keyId?: string | undefined;
  /** Only for `DATABASE_UNAVAILABLE`. Default `database_unreachable`. */
  reason?: DatabaseReason;
  /** Default false. */
  isUnwritten?: boolean;
  lack?: 'answers' | 'writes' | undefined;
}

/** Only a person can repair these. The message has the cause and the fix, so `stack` is the message alone. */
const setupCodes: readonly StoreErrorCode[] = [
  'KEY_UNUSABLE',
  'KEY_MISSING',
  'KEY_WRONG',
  'DATABASE_UNUSABLE',
  'SCHEMA_TOO_NEW',
];

/** Thrown by the store; the message names the file or column, never a value. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;
  /** The installation whose value does not decrypt. Other installations keep working. */
  readonly installationId?: string;
  /** Why the database is unavailable: a process that is only busy is still ready. */
  readonly reason?: DatabaseReason;
  /**
   * True: the write is certainly not stored. False: it may be stored, because the database's answer was lost,
   * or the disk failed at its sync.
   */
  readonly isUnwritten: boolean;
  /**
   * `answers`: PostgreSQL does not answer, as in a failover. `writes`: the database answers reads, but it is read-only, or
   * its disk is full.
   */
  readonly lack?: 'answers' | 'writes';
  /** The id of the missing key, when this process does not have the key of the value. */
  readonly keyId?: string;

  constructor(
    code: StoreErrorCode,
    message: string,
    {
      installationId,
      keyId,
      reason,
      isUnwritten = false,
      lack,
      ...options
    }: StoreErrorOptions = {},
  ) {
    const isOfSetup = setupCodes.includes(code);
    super(message, isOfSetup ? {} : options);
    if (isOfSetup) this.stack = `${this.name}: ${message}`;
    this.code = code;
    this.isUnwritten = isUnwritten;
    if (lack) this.lack = lack;
    if (installationId !== undefined) this.installationId = installationId;
    if (keyId !== undefined) this.keyId = keyId;
    if (code === 'DATABASE_UNAVAILABLE') this.reason = reason ?? 'database_unreachable';
  }
}

export type StoreErrorCode =
  /** A stored value does not decrypt: damaged, moved, or its key is gone. A new event mends its installation. */
  | 'SECRET_INTEGRITY'
  /** The encryption key file cannot be read, or does not hold a key. Mend the file; nothing was written. */
  | 'KEY_UNUSABLE'
  /** There is no encryption key file. Put it there, or make one; nothing was written. */
  | 'KEY_MISSING'
  /** The database was sealed with other keys than the key file's. Put the right file there; nothing was written. */
  | 'KEY_WRONG'
  /** The database cannot be opened or migrated, and will not by itself. */
  | 'DATABASE_UNUSABLE'
  /** A newer version has migrated the database. Start that one, or restore a backup; nothing was written. */
  | 'SCHEMA_TOO_NEW'
  /** The database cannot be reached, or is too busy. It may pass: try again. */
  | 'DATABASE_UNAVAILABLE'
  /** What should say where a page begins does not. Begin with the first page. */
  | 'CURSOR_INVALID';

/** Thrown by the store; the message names the file or column, never a value. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;
  /** Whose value it is, with `SECRET_INTEGRITY`: the others go on. */
  readonly installationId?: string;

  constructor(
    code: StoreErrorCode,
    message: string,
    { installationId, ...options }: ErrorOptions & { installationId?: string } = {},
  ) {
    super(message, options);
    this.code = code;
    if (installationId !== undefined) this.installationId = installationId;
  }
}

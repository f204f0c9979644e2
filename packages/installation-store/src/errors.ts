export type StoreErrorCode =
  /** A stored value does not decrypt: another key, or the row was tampered with. */
  | 'SECRET_INTEGRITY'
  /** The encryption key file cannot be read, or does not hold a key. Mend the file; nothing was written. */
  | 'KEY_UNUSABLE'
  /** The database cannot be opened or migrated. */
  | 'DATABASE_UNUSABLE';

/** Thrown by the store; the message names the file or column, never a value. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

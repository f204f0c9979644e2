/**
 * The doctor cannot begin, or the target was named wrongly.
 *
 * - `PORT_TAKEN`: another program listens at the port of `origin`; stop it, or name another origin.
 * - `OPTION_INVALID`: an option is wrong; the message says which one.
 * - `TARGET_RUNS_ALREADY`: something answers at the URL already, so the doctor would judge another process.
 * - `START_FAILED`: the command did not start the back end.
 * - `BROWSER_MISSING`: there is no Chromium, or no Playwright.
 * - `NOT_OURS`: the target is not on this machine, or its manifest names another one; `isOwn` says that it is yours.
 */
export type DoctorErrorCode =
  | 'PORT_TAKEN'
  | 'OPTION_INVALID'
  | 'TARGET_RUNS_ALREADY'
  | 'START_FAILED'
  | 'BROWSER_MISSING'
  | 'NOT_OURS';

/** Its `stack` is the message alone. */
export class DoctorError extends Error {
  override readonly name = 'DoctorError';
  readonly code: DoctorErrorCode;

  constructor(code: DoctorErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.stack = `${this.name}: ${message}`;
    this.code = code;
  }
}

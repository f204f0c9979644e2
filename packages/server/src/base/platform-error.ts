/** The error of a call to the tenant's platform. */

export type PlatformErrorCode =
  /**
   * Access is being renewed, or the first tokens have not come. Nothing was sent, or the platform refused it with 401.
   * Try again after `retryAfterMs`.
   */
  | 'ACCESS_UNAVAILABLE'
  /** The platform may have acted on the call, but sent no usable answer. Check before you repeat the call. */
  | 'OUTCOME_UNKNOWN'
  /** The platform could not be reached, or refused a `notify` in an unexpected way. The call has had no effect. */
  | 'PLATFORM_FAILED'
  /** Too many calls wait, or the database is away; nothing was sent. Try again after `retryAfterMs`. */
  | 'OVERLOADED'
  /** The caller's signal, or the operation's, was aborted. The platform may have acted on the call. */
  | 'ABORTED'
  /** The installation was uninstalled, or this life of it has ended. Nothing was sent. `installation` says whose. */
  | 'INSTALLATION_ENDED'
  /** An operator has paused the installation. Nothing was sent. It fails until the operator resumes it. */
  | 'INSTALLATION_PAUSED'
  /** `notify` only: the platform does not know the recipient, or refuses the text. */
  | 'NOTIFICATION_REFUSED'
  /** `notify` only: `plugin:notify` was not granted. */
  | 'SCOPE_MISSING'
  /** `notify` only: notifications are switched off on the platform. */
  | 'FEATURE_NOT_AVAILABLE'
  /** `notify` of an operation only: too many notifications of this user, session, tenant or process. Nothing was sent. */
  | 'RATE_LIMITED'
  /** `notify` only: the platform limits the calls. Try again after `retryAfterMs`. */
  | 'PLATFORM_LIMITED'
  /** `notify` only: the platform is busy. Try again after `retryAfterMs`. */
  | 'PLATFORM_BUSY';

/** The installation that a call named. */
export interface NamedInstallation {
  id: string;
  /** Undefined: the current one. */
  generation: number | undefined;
}

export interface PlatformErrorOptions extends ErrorOptions {
  retryAfterMs?: number | undefined;
  installation?: NamedInstallation | undefined;
}

/** Thrown by `platform.fetch` when there is no answer, and by `notify` also when the answer is a refusal. */
export class PlatformError extends Error {
  override readonly name = 'PlatformError';
  readonly code: PlatformErrorCode;
  /** After this time the same call may succeed, at most an hour. Undefined: not known. */
  readonly retryAfterMs: number | undefined;
  /** The installation that has ended, with `INSTALLATION_ENDED`. It need not be the caller's own. */
  readonly installation: NamedInstallation | undefined;

  constructor(
    code: PlatformErrorCode,
    message: string,
    { retryAfterMs, installation, ...options }: PlatformErrorOptions = {},
  ) {
    super(message, options);
    this.code = code;
    // An error that is thrown here would hide the failure. So what is no time counts as not known.
    this.retryAfterMs =
      Number.isFinite(retryAfterMs) && Number(retryAfterMs) >= 0 ? retryAfterMs : undefined;
    this.installation = installation;
  }

  /** The platform may have acted on the call, so another one may have its effect twice. */
  get mayHaveRun(): boolean {
    return this.code === 'OUTCOME_UNKNOWN' || this.code === 'ABORTED';
  }
}

/** Whether the error says that this generation of this installation has ended, and not another one. */
export function isEndOf(
  error: unknown,
  { id, generation }: { id: string; generation: number },
): boolean {
  if (!(error instanceof PlatformError) || error.code !== 'INSTALLATION_ENDED') return false;
  const { installation } = error;
  return installation?.id === id && (installation.generation ?? generation) === generation;
}

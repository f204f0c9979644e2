/**
 * The adapter's error. The codes ERR0 to ERR8 are the platform's own (spec §7 and its published client), the
 * `ERR_` codes are ours. docs/errors.md explains what to do. The platform's texts are in published-text.ts.
 */
export type PluginErrorCode =
  /** An option is wrong or unknown. Thrown when it is passed in. `diagnosis` explains what to write. */
  | 'ERR_OPTIONS'
  /** The page is not a secure context, so WebCrypto is missing. Serve it over https. */
  | 'ERR0'
  /** The token's issuer is not in `issuers`, or the token names no key. Add only the platform's issuers. */
  | 'ERR1'
  /** The token is malformed or its signature is wrong. Do not use its content. */
  | 'ERR2'
  /** The signature is correct, but the token is not for this page: subject, origin, shape, user. */
  | 'ERR3'
  /** The token is past its `exp`. Set the device's clock right. */
  | 'ERR4'
  /** The token is not valid before a later time. Set the device's clock right. */
  | 'ERR5'
  /** Nothing usable arrived in time. Try again. `diagnosis` names what was missing. */
  | 'ERR6'
  /** The key document could not be loaded or read. Try again later. */
  | 'ERR7'
  /** The token names a key outside `jkuOrigins`. Add the origin only if it is the platform's. */
  | 'ERR8'
  /** There is no platform around this page. Open it inside the platform. */
  | 'ERR_NOT_EMBEDDED'
  /** The caller's signal aborted. Its reason is the cause. */
  | 'ERR_ABORTED'
  /** The adapter was destroyed before this could end. */
  | 'ERR_DESTROYED'
  /** `parseConfig` refused the stored configuration. Its error is the cause. Save a valid configuration. */
  | 'ERR_CONFIG'
  /** The plug-in's back end opens no session. Its answer is the cause. Ask its operator. */
  | 'ERR_SESSION'
  /** The plug-in's back end did not answer, or is busy. Try again later. */
  | 'ERR_NETWORK';

/** The texts that the specification names (spec §7). */
export const specifiedTexts: Partial<Record<PluginErrorCode, string>> = {
  ERR2: 'Invalid plug-in token',
  ERR6: 'Initialization timed out',
};

/** What may pass without a change on this side. */
const retryableCodes: readonly PluginErrorCode[] = ['ERR6', 'ERR7', 'ERR_NETWORK'];

/** The longest diagnosis. Quotes of the other side come last, and are cut. */
const maxDiagnosisLength = 200;

export class PluginError extends Error {
  declare readonly code: PluginErrorCode;
  /**
   * What happened and what to do, in English. It is also the message, except for the two codes whose message
   * the specification defines. It may quote the other side: show it as text only.
   */
  declare readonly diagnosis: string;
  /** The same call may succeed later, without a change on this side. */
  declare readonly retryable: boolean;
  /** When the same call may succeed, if the back end says so. Only for ERR_SESSION and ERR_NETWORK. */
  declare readonly retryAfterMs?: number | undefined;

  constructor(code: PluginErrorCode, diagnosis: string, cause?: unknown) {
    super(specifiedTexts[code] ?? diagnosis, { cause });
    this.name = 'PluginError';
    this.code = code;
    this.diagnosis = diagnosis;
    this.retryable = retryableCodes.includes(code);
  }
}

/** Creates an error with a shortened diagnosis. A PluginError keeps its own code. */
export function toPluginError(
  code: PluginErrorCode,
  diagnosis: string,
  cause?: unknown,
): PluginError {
  return cause instanceof PluginError
    ? cause
    : new PluginError(code, diagnosis.slice(0, maxDiagnosisLength), cause);
}

/** @throws PluginError */
export function fail(code: PluginErrorCode, diagnosis: string, cause?: unknown): never {
  throw toPluginError(code, diagnosis, cause);
}

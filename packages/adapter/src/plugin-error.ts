/**
 * The one error of the adapter. Codes and texts of ERR0 to ERR8 are the platform's own words
 * (spec §7 and docs of its published client); the `ERR_` codes are ours.
 */
const messages = {
  /** The page is no secure context, so WebCrypto is missing. Serve it by https. */
  ERR0: 'Insecure plug-in communication',
  /** The answer is not a well signed token. Never believe what it says. */
  ERR2: 'Invalid plug-in token',
  /** The signature is good, but the token is not for this page: subject, nonce, issuer, shape. */
  ERR3: 'Invalid plug-in token',
  /** The token is past its `exp`. Connect again, or mend the device's clock. */
  ERR4: 'Invalid plug-in token',
  /** The token is not valid before a later time. Mend the device's clock. */
  ERR5: 'Invalid plug-in token',
  /** Nothing usable came in time. Connect again; `diagnosis` says what came instead. */
  ERR6: 'Initialization timed out',
  /** The key document could not be loaded or read. Connect again later. */
  ERR7: 'Insecure plug-in communication',
  /** The token names a key outside `keyOrigins`. Add the origin only if it is the platform's. */
  ERR8: 'Insecure plug-in communication',
  /** No platform around this page. Open it inside the platform. */
  ERR_NOT_EMBEDDED: 'Not embedded in the platform',
  /** The caller's signal aborted. */
  ERR_ABORTED: 'Initialization aborted',
} as const;

export type PluginErrorCode = keyof typeof messages;

/** Why no connection came about. `diagnosis` is one English sentence on what was seen. */
export class PluginError extends Error {
  readonly code: PluginErrorCode;
  readonly diagnosis: string;

  constructor(code: PluginErrorCode, diagnosis: string, cause?: unknown) {
    super(messages[code], cause === undefined ? undefined : { cause });
    this.name = 'PluginError';
    this.code = code;
    this.diagnosis = diagnosis;
  }
}

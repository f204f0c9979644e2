/** Whether a request that failed was sent. */
import { RequestNotSentError } from '@dowel/http';

/** Errors of the connection. With a caller's own `fetch`, only these codes prove that nothing was sent. */
const unsentCodes = new Set([
  'ADDRESS_NOT_ALLOWED',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const tlsFailure = /^(?:CERT_|DEPTH_ZERO_|ERR_SSL_|ERR_TLS_|SELF_SIGNED_|UNABLE_TO_)/;

/** The cause of a failed `fetch`. */
export function faultOf(error: unknown): { code?: string } {
  return ((error as Error).cause ?? error) as { code?: string };
}

/**
 * True if a `fetch` failed before it sent anything, so its request has had no effect: the connection or its TLS
 * failed, or the address was not allowed. A `fetch` of `@dowel/http` reports this; for any other, the error's
 * code decides.
 */
export function isUnsent(error: unknown): boolean {
  if (error instanceof RequestNotSentError) return true;
  const fault = faultOf(error);
  const { code } = fault;
  // For a name with several addresses, the code is that of the first one.
  if (fault instanceof AggregateError) return true;
  return code !== undefined && (unsentCodes.has(code) || tlsFailure.test(code));
}

/** Whether a request that failed was sent. */
import { RequestNotSentError } from '@dowel/http';

/** Errors before a connection exists. With a caller's own `fetch`, only the error's code proves that nothing was sent. */
const unsentCodes = new Set([
  'ADDRESS_NOT_ALLOWED',
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** An established connection may fail with these as well, so only a failed `connect` counts. */
const unreachableCodes = new Set(['EHOSTUNREACH', 'ENETUNREACH']);

/**
 * The host's certificate was refused. `ERR_SSL_` is missing: the host may also send an alert after it has received
 * the request.
 */
const certificateFailure = /^(?:CERT_|DEPTH_ZERO_|ERR_TLS_|SELF_SIGNED_|UNABLE_TO_)/;

/** The cause of a failed `fetch`. A signal may be aborted with null. */
export function faultOf(error: unknown): { code?: string; syscall?: string } {
  return ((error as Error | null)?.cause ?? error ?? {}) as { code?: string; syscall?: string };
}

/**
 * True if a `fetch` certainly failed before it sent anything, so its request has had no effect: there was no
 * connection, or its host was refused. A `fetch` of `@dowel/http` reports this; for any other, the error's code
 * decides.
 */
export function isUnsent(error: unknown): boolean {
  if (error instanceof RequestNotSentError) return true;
  const fault = faultOf(error);
  const { code, syscall } = fault;
  // For a name with several addresses, the code is that of the first one.
  if (fault instanceof AggregateError) return true;
  if (code === undefined) return false;
  if (unreachableCodes.has(code)) return syscall === 'connect';
  return unsentCodes.has(code) || certificateFailure.test(code);
}

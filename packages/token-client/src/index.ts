/** The tokens of one installation: exchange, single-flight refresh, trigger, recovery. */
export { TokenClientError, type TokenClientErrorCode } from './errors.ts';
export { createTokenClient, type TokenClient, type TokenClientOptions } from './token-client.ts';
export { TokenRequestError } from './token-request-error.ts';

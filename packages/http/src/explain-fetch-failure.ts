/** Explains why a request got no answer, in one line without secrets. */
import { RequestNotSentError } from './unsent-request.ts';

const causes: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the other side closed the connection',
  EPIPE: 'the other side closed the connection',
  UND_ERR_SOCKET: 'the other side closed the connection',
  ENOTFOUND: 'there is no host with this name',
  EAI_AGAIN: 'the name cannot be looked up now',
  EHOSTUNREACH: 'there is no way to this host',
  ENETUNREACH: 'there is no way to this network',
  ETIMEDOUT: 'the connection was not answered',
  UND_ERR_CONNECT_TIMEOUT: 'the connection was not answered',
  UND_ERR_HEADERS_TIMEOUT: 'no answer came in time',
  UND_ERR_BODY_TIMEOUT: 'the answer did not end in time',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too long',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer is cut off',
  ADDRESS_NOT_ALLOWED: 'the address is private, and not allowed',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is signed by an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is signed by an unknown authority',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS: write http, or set up https',
  EPROTO: 'it does not speak TLS: write http, or set up https',
};

/**
 * Why a fetch failed, in words: `ECONNREFUSED: nothing listens there`. The error of `fetch` says only "fetch failed"; the
 * reason is in its causes. For an unknown cause the result is its code or its text.
 */
export function explainFetchFailure(error: unknown): string {
  const chain = listCauses(error);
  for (const each of chain) {
    if (each instanceof RequestNotSentError) continue;
    const { name, code } = each as { name?: string; code?: unknown };
    if (name === 'TimeoutError') return 'no answer came in time';
    if (name === 'HTTPParserError') return 'the answer is not HTTP';
    if (typeof code !== 'string') continue;
    return causes[code] ? `${code}: ${causes[code]}` : code;
  }
  const last = chain.at(-1);
  return last instanceof Error && last.message !== '' ? last.message : 'unknown cause';
}

/** The error, its cause, and the first one of several attempts to connect to one name. */
function listCauses(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let each = error; each instanceof Error && chain.length < 8; ) {
    chain.push(each);
    const [first] = each instanceof AggregateError ? (each.errors as unknown[]) : [];
    each = first ?? each.cause;
  }
  return chain;
}

/**
 * A `fetch` that cannot be directed into this process's own network: https only, and every address is
 * checked when the connection is made, so the checked address is the one that is used (DNS rebinding).
 * Certificates are always verified and proxies always ignored, independent of the environment.
 */
import { lookup as dnsLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { createSecureContext } from 'node:tls';
import { assertCount, assertMilliseconds } from '@dowel/schema';
import {
  Agent,
  type BodyInit,
  buildConnector,
  type RequestInfo,
  type RequestInit as UndiciInit,
  fetch as undiciFetch,
} from 'undici';
import { joinSignals } from './follow-signals.ts';
import { isPlain, type OwnOptions, requestPlain } from './plain-request.ts';
import { createPrivateAddressCheck } from './private-address.ts';
import { boundResponse } from './read-bounded.ts';
import { shareLookups } from './shared-lookup.ts';
import { toUnsent } from './unsent-request.ts';
import { type BodyWatch, watchBody } from './watch-body.ts';

/**
 * The time limit for name lookup, connection and TLS. Shorter than the limit of any token request, which is
 * sent after that.
 */
const connectTimeoutMs = 3_000;
/** A name lookup that takes longer leaves no time for the rest. */
const slowLookup = { slowMs: 2_000 };

/** One for all fetches, because they share the threads of the process. */
const processLookup = shareLookups(dnsLookup as LookupFunction, slowLookup);

export interface GuardedFetchOptions {
  /** Origins that may have private addresses and may use http, such as `http://localhost:4300`. Default none. */
  internalOrigins?: readonly string[];
  /**
   * Resolves names, as `dns.lookup` does, and must call back. Called once at a time for each name, and not again for 5
   * to 30 s after an answer that took longer than 2 s, which is used instead. Default: `dns.lookup`.
   */
  lookup?: LookupFunction;
  /** The most connections to one origin, so that a slow one does not delay others. Default: no limit. */
  connectionsPerOrigin?: number;
  /**
   * The longest time between two pieces of the body of an answer, also when nobody reads it, in milliseconds.
   * Default 300,000.
   */
  idleTimeoutMs?: number;
  /**
   * The time limit until the headers of an answer, in milliseconds. 0 means no limit: use it only if a signal
   * ends each request. Default: as `idleTimeoutMs`.
   */
  headersTimeoutMs?: number;
}

export interface GuardedInit extends RequestInit, OwnOptions {}

/** `fetch` with options for the body of its answer. */
export type GuardedFetch = (
  input: Parameters<typeof globalThis.fetch>[0],
  init?: GuardedInit,
) => Promise<Response>;

/** The cause of a refused fetch: the address or the scheme of the host is not allowed. */
export class AddressNotAllowedError extends Error {
  override readonly name = 'AddressNotAllowedError';
  readonly code = 'ADDRESS_NOT_ALLOWED';

  constructor() {
    super('The host is not on the public internet, or the URL does not use https');
  }
}

/**
 * Creates the fetch for URLs that strangers name. One fetch keeps its connections for reuse, so create it
 * once.
 *
 * @example
 * const guardedFetch = createGuardedFetch({ internalOrigins: [origin] });
 * const response = await guardedFetch(`${origin}/key.json`, { redirect: 'error' });
 *
 * @returns a fetch that rejects with a TypeError, whose `cause` is an AddressNotAllowedError when the
 * address is private or the scheme is not https. It is a RequestNotSentError if nothing was sent.
 * @throws TypeError for a timeout that is not a number of milliseconds, and for a number of connections
 * that is not a whole number of at least 1.
 */
export function createGuardedFetch({
  internalOrigins = [],
  lookup: ownLookup,
  connectionsPerOrigin,
  idleTimeoutMs = 300_000,
  headersTimeoutMs = idleTimeoutMs,
}: GuardedFetchOptions = {}): GuardedFetch {
  assertMilliseconds(idleTimeoutMs, 'idleTimeoutMs');
  assertMilliseconds(headersTimeoutMs, 'headersTimeoutMs');
  if (connectionsPerOrigin !== undefined) assertCount(connectionsPerOrigin, 'connectionsPerOrigin');
  const isPrivate = createPrivateAddressCheck();
  const lookup = ownLookup ? shareLookups(ownLookup, slowLookup) : processLookup;
  const transport = {
    allowH2: false,
    // control B06
    rejectUnauthorized: true,
    timeout: connectTimeoutMs,
    // Without it each connection makes its own, which takes more memory than the connection itself.
    secureContext: createSecureContext(),
  };
  const connectAnywhere = buildConnector({ ...transport, lookup });
  // control D03
  const connectToPublic = buildConnector({ ...transport, lookup: guardLookup(lookup, isPrivate) });

  const agent = new Agent({
    connections: connectionsPerOrigin ?? null,
    headersTimeout: headersTimeoutMs,
    bodyTimeout: idleTimeoutMs,
    connect(options, callback) {
      const { protocol, host = options.hostname, hostname } = options;
      if (internalOrigins.includes(`${protocol}//${host}`)) connectAnywhere(options, callback);
      else if (protocol !== 'https:' || (isIP(hostname) !== 0 && isPrivate(hostname))) {
        callback(new AddressNotAllowedError(), null);
      } else connectToPublic(options, callback);
    },
  });
  const guardedFetch = async (input: RequestInfo, init: UndiciInit & OwnOptions = {}) => {
    let isSent = false;
    const watch: BodyWatch = {
      idleTimeoutMs,
      onBodyEnd: init.onBodyEnd,
      onSend() {
        isSent = true;
      },
    };
    try {
      return await (isPlain(input, init)
        ? requestPlain(agent, String(input), { init, watch })
        : requestByFetch(agent, input, { init, watch }));
    } catch (error) {
      if (isSent) throw error;
      init.onUnsent?.();
      throw toUnsent(error);
    }
  };
  // The same standard function has two types: undici's, and that of Node's bundled undici.
  return guardedFetch as unknown as GuardedFetch;
}

async function requestByFetch(
  agent: Agent,
  input: RequestInfo,
  { init: given, watch }: { init: UndiciInit & OwnOptions; watch: BodyWatch },
): Promise<Response> {
  const { untilHeaders, maxBodyBytes = Infinity, onBodyEnd: _, onUnsent: __, ...init } = given;
  assertHttp(input);
  const body = await nativeBody(init.body);
  const signal = joinSignals(init.signal, untilHeaders) ?? null;
  const dispatcher = watchBody(agent, watch);
  const whole = { ...init, ...(body && { body }), signal, dispatcher };
  const response = (await undiciFetch(input, whole)) as unknown as Response;
  return boundResponse(response, maxBodyBytes);
}

/** Other URLs need no connection that could refuse them: `fetch` itself answers `data:` and `blob:`. */
function assertHttp(input: RequestInfo): void {
  const url = URL.parse(typeof input === 'object' && 'url' in input ? input.url : String(input));
  if (url && !/^https?:$/.test(url.protocol)) {
    throw new TypeError('fetch failed', { cause: new AddressNotAllowedError() });
  }
}

/** Node's own form as a blob with its content type: undici knows only the forms of its own class. */
async function nativeBody(body: unknown): Promise<BodyInit | undefined> {
  if (!(body instanceof FormData)) return undefined;
  return (await new Response(body).blob()) as unknown as BodyInit;
}

/** If one of several addresses is private, all are refused: a public host has no private address. */
function guardLookup(
  lookup: LookupFunction,
  isPrivate: (address: string) => boolean,
): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, found, family) => {
      const addresses = Array.isArray(found) ? found.map(({ address }) => address) : [found];
      if (!error && addresses.some(isPrivate))
        callback(new AddressNotAllowedError(), found, family);
      else callback(error, found, family);
    });
  };
}

/**
 * A `fetch` that cannot be steered into this process's own network: https only, and every address is
 * checked where the connection is made, so that the checked one is the connected one (DNS rebinding).
 * Certificates are verified and proxies ignored, whatever the environment says.
 */
import { lookup as dnsLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, fetch as undiciFetch } from 'undici';
import { createPrivateAddressCheck } from './private-address.ts';

/** Name, connection and TLS; shorter than any token request, which is not sent before. */
const connectTimeoutMs = 3_000;

export interface GuardedFetchOptions {
  /** Origins that may be private and spoken to by http, such as `http://localhost:4300`. */
  internalOrigins?: readonly string[];
  lookup?: LookupFunction;
  /** Connections to one origin, so that a slow one stops no other. Default: no limit. */
  connectionsPerOrigin?: number;
}

/** The cause of a refused fetch: the host has an address, or a scheme, that is not allowed. */
export class AddressNotAllowedError extends Error {
  override readonly name = 'AddressNotAllowedError';
  readonly code = 'ADDRESS_NOT_ALLOWED';

  constructor() {
    super('The host is not on the public internet, or would be spoken to without https');
  }
}

export function createGuardedFetch({
  internalOrigins = [],
  lookup = dnsLookup as LookupFunction,
  connectionsPerOrigin,
}: GuardedFetchOptions = {}): typeof globalThis.fetch {
  const isPrivate = createPrivateAddressCheck();
  const transport = { allowH2: false, rejectUnauthorized: true, timeout: connectTimeoutMs };
  const connectAnywhere = buildConnector({ ...transport, lookup });
  const connectToPublic = buildConnector({ ...transport, lookup: guardLookup(lookup, isPrivate) });

  const dispatcher = new Agent({
    connections: connectionsPerOrigin ?? null,
    connect(options, callback) {
      const { protocol, host = options.hostname, hostname } = options;
      if (internalOrigins.includes(`${protocol}//${host}`)) connectAnywhere(options, callback);
      else if (protocol !== 'https:' || (isIP(hostname) !== 0 && isPrivate(hostname))) {
        callback(new AddressNotAllowedError(), null);
      } else connectToPublic(options, callback);
    },
  });
  const guardedFetch: typeof undiciFetch = (input, init) =>
    undiciFetch(input, { ...init, dispatcher });
  // The same standard function, typed twice: by undici, and by Node's types of its bundled undici.
  return guardedFetch as unknown as typeof globalThis.fetch;
}

/** One private address among several refuses them all: an honest name has none. */
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

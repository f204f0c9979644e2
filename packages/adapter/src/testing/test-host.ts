/** For tests only: a fake host and a real server. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AdapterOptions } from '../adapter-context.ts';
import { type Adapter, createAdapter } from '../create-adapter.ts';
import {
  createFakeHost,
  createSigningKey,
  type FakeHost,
  type FakeHostOptions,
} from '../fake-host/index.ts';
import { handshakeDefaults } from '../handshake.ts';
import { type Issuer, trustIssuers } from '../trust-issuers.ts';
import { readTrust, type TokenMessage, type TrustOptions, verifyToken } from '../verify-token.ts';

export const signingKey = await createSigningKey();

export function openHost(options: FakeHostOptions = {}): Promise<FakeHost> {
  return createFakeHost({ signingKey, ...options });
}

/** The options with which an adapter believes the host. */
export function optionsFor({ srcId, view, issuers, jkuOrigins }: FakeHost) {
  return { srcId, view, issuers: trustIssuers(issuers), jkuOrigins };
}

/** @param options in addition to those with which the adapter believes the host */
export function createAdapterFor<Config = unknown>(
  host: FakeHost,
  options: AdapterOptions<Config> = {},
): Adapter<Config> {
  return createAdapter<Config>({ ...optionsFor(host), ...options });
}

/** The trust of a page with these options, with the issuers as a list. */
export function createVerifier({
  issuers,
  ...options
}: Omit<TrustOptions, 'issuers'> & { issuers?: readonly Issuer[] | undefined } = {}) {
  const trust = readTrust({
    ...handshakeDefaults,
    ...(options as object),
    issuers: issuers && trustIssuers(issuers),
  });
  return (message: TokenMessage) => verifyToken(trust, message);
}

export function encodePart(part: unknown): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

/** Changes the first letter of the signature. */
export function corrupt(jwt: string): string {
  const at = jwt.lastIndexOf('.') + 1;
  return `${jwt.slice(0, at)}${jwt[at] === 'A' ? 'B' : 'A'}${jwt.slice(at + 1)}`;
}

/** Waits for one task, for example until diagnostics are sent. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

export interface TestServer extends AsyncDisposable {
  origin: string;
  /** The requested paths. */
  requests: string[];
}

export async function startServer(listener: RequestListener): Promise<TestServer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  async function close(): Promise<void> {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, requests, [Symbol.asyncDispose]: close };
}

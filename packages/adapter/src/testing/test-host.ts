/** For tests only: what most of them start from, a fake host and a real server. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createFakeHost,
  createSigningKey,
  type FakeHost,
  type FakeHostOptions,
} from '@dowel/testing';
import { type Adapter, type AdapterOptions, createAdapter } from '../create-adapter.ts';

export const signingKey = await createSigningKey();

export function openHost(options: FakeHostOptions = {}): Promise<FakeHost> {
  return createFakeHost({ signingKey, ...options });
}

/** @param options beside what makes the adapter believe the host */
export function createAdapterFor<Config = unknown>(
  { srcId, view, issuers, jkuOrigins }: FakeHost,
  options: AdapterOptions<Config> = {},
): Adapter<Config> {
  return createAdapter<Config>({ srcId, view, issuers, jkuOrigins, ...options });
}

export function encodePart(part: unknown): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

/** Changes the first letter of the signature. */
export function corrupt(jwt: string): string {
  const at = jwt.lastIndexOf('.') + 1;
  return `${jwt.slice(0, at)}${jwt[at] === 'A' ? 'B' : 'A'}${jwt.slice(at + 1)}`;
}

/** A task later, such as for a diagnostic to be told. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

export interface TestServer extends AsyncDisposable {
  origin: string;
  /** Paths asked for. */
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

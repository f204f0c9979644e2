/** A back end that has a right manifest, and does something wrong with every event. */
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { manifestOf } from './manifest-of.ts';

export interface WrongBackEnd {
  readonly manifestUrl: string;
  close(): Promise<void>;
}

/**
 * @param answer gets every request that is not for the manifest
 * @param eventsAt the origin that the manifest sends events to. Default: its own
 */
export async function startBackEnd(
  answer: RequestListener,
  eventsAt?: string,
): Promise<WrongBackEnd> {
  const server = createServer((request, response) => {
    if (request.url !== '/manifest.json') return answer(request, response);
    response.setHeader('content-type', 'application/json');
    const url = `${eventsAt ?? origin}/events/`;
    response.end(JSON.stringify(manifestOf(url, `${origin}/page`)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  return {
    manifestUrl: `${origin}/manifest.json`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The claims of the event that a request brings. */
export async function readClaims(request: IncomingMessage): Promise<Record<string, string>> {
  const token = new URLSearchParams(await text(request)).get('token') ?? '';
  const [, payload = ''] = token.split('.');
  return JSON.parse(Buffer.from(payload, 'base64url').toString() || '{}');
}

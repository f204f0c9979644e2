/** A back end that has a right manifest, and does something wrong with every event. */
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

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
    response.end(JSON.stringify(manifestOf(eventsAt ?? origin)));
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

function manifestOf(origin: string): object {
  const name = { en: 'Wrong', de: 'Falsch' };
  return {
    manifestVersion: '2.5.0',
    pluginVersion: '1.0.0',
    name,
    description: name,
    lifecycle: { url: `${origin}/events/`, events: ['install', 'uninstall'] },
    apiAccess: {
      url: `${origin}/events/`,
      client: { mode: ['authorization_code'], scope: ['plugin:notify'] },
    },
    entryPoints: [
      {
        id: '5b7d1a90-2c64-4f0e-9a3d-0c1e2f3a4b5c',
        url: `${origin}/page`,
        name,
        description: name,
      },
    ],
  };
}

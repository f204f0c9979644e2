/** The other host: it has the forger's key at every path, and notes who asks for it. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SigningKey } from '@dowel/emulator';

export interface Stranger {
  readonly origin: string;
  /** Whether somebody has asked for a path with this text. */
  wasAsked(part: string): boolean;
  close(): void;
}

/** Ports that begin with the digits of ours: a back end that compares texts takes them for ours. */
const similarPorts = 10;
const maxPort = 65_535;

/** @param port of the platform. */
export async function startStranger(
  { keyDocument }: Pick<SigningKey, 'keyDocument'>,
  port: number,
): Promise<Stranger> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.setHeader('content-type', 'application/json');
    response.setHeader('access-control-allow-origin', '*');
    response.end(JSON.stringify(keyDocument));
  });
  server.keepAliveTimeout = 120_000;
  await listenNear(server, port);
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    wasAsked: (part) => asked.some((url) => url.includes(part)),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function listenNear(server: Server, port: number): Promise<void> {
  for (let last = 0; last < similarPorts; last += 1) {
    const similar = port * 10 + last;
    if (similar <= maxPort && (await listen(server, similar))) return;
  }
  await listen(server, 0);
}

/** False: the port is taken. */
function listen(server: Server, port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' || error.code === 'EACCES' ? resolve(false) : reject(error);
    server.once('error', fail);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', fail);
      resolve(true);
    });
  });
}

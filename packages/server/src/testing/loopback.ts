/** HTTP servers for tests: they listen on a free loopback port, and closing ends their connections. */
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export async function listenOnLoopback(host: HttpServer): Promise<string> {
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
}

export function closeHost(host: HttpServer): Promise<void> {
  return new Promise((resolve) => {
    host.close(() => resolve());
    host.closeAllConnections();
  });
}

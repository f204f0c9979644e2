/**
 * Serves the host page on loopback, and the public keys that it makes, so that a plug-in can load
 * them as it loads the platform's.
 */
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

const pages: Record<string, [file: string, type: string]> = {
  '/': ['../../host-page/index.html', 'text/html'],
  '/host.js': ['../../host-page/host.js', 'text/javascript'],
  '/wire.js': ['wire.ts', 'text/javascript'],
};
const maxKeys = 100;
const maxKeyBytes = 4096;

export interface HostPage extends AsyncDisposable {
  origin: string;
}

/** @param port 0: any free port */
export async function startHostPage(port: number): Promise<HostPage> {
  const keys = new Map<string, string>();
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').replace(/\?.*/s, '');
    const page = pages[path];
    const key = keys.get(path);
    // Refuses other host names: with DNS rebinding, another page could use one to read this server.
    if (request.headers.host !== new URL(origin).host) response.writeHead(421).end();
    else if (request.method === 'PUT') response.writeHead(await keep(path, request)).end();
    else if (page) {
      const [file, type] = page;
      response.setHeader('content-type', `${type}; charset=utf-8`);
      const content = await readFile(new URL(file, import.meta.url), 'utf8');
      response.end(file.endsWith('.ts') ? stripTypeScriptTypes(content) : content);
    } else if (key) {
      response.setHeader('content-type', 'application/json');
      response.setHeader('access-control-allow-origin', '*');
      response.end(key);
    } else response.writeHead(404).end();
  }

  async function keep(path: string, request: IncomingMessage): Promise<number> {
    const isOwn = request.headers.origin === origin && /^\/keys\/[\w-]{36}\.json$/.test(path);
    const isSmall = Number(request.headers['content-length']) <= maxKeyBytes;
    if (!isOwn || !isSmall) return 403;
    keys.set(path, await text(request));
    // Every load of the page makes a key. The oldest is needed no more.
    const [oldest] = keys.keys();
    if (keys.size > maxKeys && oldest !== undefined) keys.delete(oldest);
    return 201;
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  async function close(): Promise<void> {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  return { origin, [Symbol.asyncDispose]: close };
}

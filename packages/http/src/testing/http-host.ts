/** A real HTTP server on loopback that counts what reaches it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** An object is served as JSON. */
type Answer = object | ((request: IncomingMessage, response: ServerResponse) => void);

export interface HttpHost extends AsyncDisposable {
  origin: string;
  port: number;
  /** Paths in the order of their requests. */
  requests: string[];
  /** TCP connections, with or without a request. */
  connections(): number;
  /** Returns the URL. */
  serve(path: string, answer: Answer): string;
}

export async function startHttpHost(tls?: { key: string; cert: string }): Promise<HttpHost> {
  const answers = new Map<string, Answer>();
  const requests: string[] = [];
  let connections = 0;

  function listener(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '';
    requests.push(path);
    const answer = answers.get(path);
    if (typeof answer === 'function') answer(request, response);
    else response.writeHead(answer ? 200 : 404).end(JSON.stringify(answer ?? {}));
  }

  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `${tls ? 'https' : 'http'}://127.0.0.1:${port}`;
  return {
    origin,
    port,
    requests,
    connections: () => connections,
    serve(path, answer) {
      answers.set(path, answer);
      return `${origin}${path}`;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A server in a host framework, with the routes that the tests of the mounts call. */
import { createServer, type Server as HttpServer } from 'node:http';
import { Readable } from 'node:stream';
import type { Server, ServerOptions } from '@dowel/server';
import { closeHost, listenOnLoopback, type ServerWorld } from '@dowel/server/testing';

/** @returns the host's HTTP server. The mount opens the plug-in's server. */
export type Mount = (server: Server, prefix: string) => Promise<HttpServer>;

export interface Mounted extends AsyncDisposable {
  origin: string;
  /** The URL with the base path. */
  url: string;
  server: Server;
}

export async function startMounted(
  world: ServerWorld,
  { mount, base, changes = {} }: { mount: Mount; base: string; changes?: Partial<ServerOptions> },
): Promise<Mounted> {
  // The public URL contains the port, so a server must listen before the host is created.
  let host: HttpServer | undefined;
  const front = createServer((request, response) => {
    host?.emit('request', request, response);
  });
  const origin = await listenOnLoopback(front);
  const server = world.create({
    publicUrl: `${origin}${base}`,
    userRoutes(router) {
      router.post('/vote', async ({ caller, json }) => ({
        body: { id: caller.user.id, vote: await json() },
      }));
    },
    publicRoutes(router) {
      router.get('/fails', () => {
        throw new Error('private');
      });
      router.get('/stream', () => ({
        headers: { 'content-type': 'text/event-stream' },
        body: Readable.from(['data: 1\n\n', 'data: 2\n\n']),
      }));
      router.get('/files/:name', ({ params }) => ({ body: params }));
    },
    ...changes,
  });
  host = await mount(server, base);
  return {
    origin,
    url: `${origin}${base}`,
    server,
    async [Symbol.asyncDispose]() {
      await closeHost(front);
      await server.close();
    },
  };
}

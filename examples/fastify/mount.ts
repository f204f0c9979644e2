import type { Server as HttpServer } from 'node:http';
import type { Server } from '@dowel/server';
import Fastify from 'fastify';

/** Registers a scope at the base path. Its hook answers before Fastify reads the body. */
export async function mountInFastify(server: Server, prefix: string): Promise<HttpServer> {
  const app = Fastify();
  const handle = server.callback();
  await app.register(
    async (scope) => {
      scope.addHook('onRequest', async (request, reply) => {
        reply.hijack();
        await handle(request.raw, reply.raw);
      });
      for (const path of ['', '/*']) scope.all(path, () => undefined);
    },
    { prefix },
  );
  app.post('/own', (request) => request.body);
  await server.open();
  await app.ready();
  return app.server;
}

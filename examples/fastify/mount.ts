import { configureHttpServer, httpServerOptions, type Server } from '@dowel/server';
import Fastify, { type FastifyInstance } from 'fastify';

/** Registers a scope at the base path. Its hook answers before Fastify reads the body. */
export async function mountInFastify(server: Server, prefix: string): Promise<FastifyInstance> {
  // configureHttpServer brings its own handler.
  const app = Fastify({ http: httpServerOptions, clientErrorHandler: () => undefined });
  configureHttpServer(app.server, { log: server.log });
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
  return app;
}

import type { Server as HttpServer } from 'node:http';
import { configureHttpServer, httpServerOptions, type Server } from '@dowel/server';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';

/** Mount it before every middleware that reads bodies. Hono's own Response answers a HEAD twice. @param prefix '' or such as /questions */
export async function mountInHono(server: Server, prefix: string): Promise<HttpServer> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  const handle = server.callback();
  for (const path of [prefix || '/', `${prefix}/*`]) {
    app.all(path, async ({ env }) => {
      await handle(env.incoming, env.outgoing);
      return RESPONSE_ALREADY_SENT;
    });
  }
  app.post('/own', async (context) => context.json(await context.req.json()));
  await server.open();
  const options = { serverOptions: httpServerOptions, overrideGlobalObjects: false };
  const host = createAdaptorServer({ ...options, fetch: app.fetch }) as HttpServer;
  configureHttpServer(host, { log: server.log });
  return host;
}

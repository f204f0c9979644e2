import { createServer, type Server as HttpServer } from 'node:http';
import { configureHttpServer, httpServerOptions, type Server } from '@dowel/server';

/** Serves only the plug-in. */
export async function mountInNodeHttp(server: Server): Promise<HttpServer> {
  const host = createServer(httpServerOptions, server.callback());
  configureHttpServer(host, { log: server.log });
  await server.open();
  return host;
}

import { createServer, type Server as HttpServer } from 'node:http';
import { configureHttpServer, httpServerOptions, type Server } from '@dowel/server';

/** The whole server is the plug-in's. */
export async function mountInNodeHttp(server: Server): Promise<HttpServer> {
  const host = createServer(httpServerOptions, server.callback());
  configureHttpServer(host);
  await server.open();
  return host;
}

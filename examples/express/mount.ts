import { createServer, type Server as HttpServer } from 'node:http';
import { configureHttpServer, httpServerOptions, type Server } from '@dowel/server';
import express from 'express';

/** Mount it before the body parsers. Requests outside the base path are passed on to them. */
export async function mountInExpress(server: Server): Promise<HttpServer> {
  const app = express().disable('x-powered-by');
  app.use(server.callback());
  app.use(express.json(), express.urlencoded());
  app.post('/own', (request, response) => void response.json(request.body));
  await server.open();
  const host = createServer(httpServerOptions, app);
  configureHttpServer(host, { log: server.log });
  return host;
}

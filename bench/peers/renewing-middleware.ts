/**
 * http-proxy-middleware that loses no call when tokens end, by its own recipes: in Express, whose parser reads the body,
 * so that a call that was refused can be sent once more, with tokens that the hand-written floor refreshes.
 */
import type { Agent } from 'node:http';
import express, { type Request, type Response } from 'express';
import { createProxyMiddleware, fixRequestBody, responseInterceptor } from 'http-proxy-middleware';
import { type FloorGrant, type FloorTokens, keepTokens } from './floor-tokens.ts';

interface Sending {
  /** The page's session, which is the key of its tokens. */
  session: string;
  used: FloorTokens;
  isAgain: boolean;
}

interface Setup {
  origin: string;
  agent: Agent;
  /** By the page's session. */
  grants: ReadonlyMap<string, FloorGrant & FloorTokens>;
}

export function createRenewingMiddleware({ origin, agent, grants }: Setup) {
  const { usable, refresh } = keepTokens(grants);
  const sendings = new WeakMap<Request, Sending>();
  const sendingOf = (request: Request) => sendings.get(request) as Sending;
  const passOn = responseInterceptor<Request, Response>(async (body) => body);

  const proxy = createProxyMiddleware<Request, Response>({
    target: origin,
    changeOrigin: true,
    selfHandleResponse: true,
    agent,
    pathRewrite: (_path, request) =>
      `${new URL(grants.get(sendingOf(request).session)?.baseUrl ?? origin).pathname}api`,
    on: {
      proxyReq(outgoing, request) {
        outgoing.setHeader('authorization', `Bearer ${sendingOf(request).used.accessToken}`);
        fixRequestBody(outgoing, request);
      },
      async proxyRes(incoming, request, response) {
        const sending = sendingOf(request);
        if (incoming.statusCode !== 401 || sending.isAgain) {
          return passOn(incoming, request, response);
        }
        incoming.resume();
        const used = await refresh(sending.session, sending.used);
        sendings.set(request, { ...sending, used, isAgain: true });
        await proxy(request, response);
      },
    },
  });

  const app = express();
  app.use(express.json({ limit: '1mb' }));
  app.use('/api', async (request, response) => {
    const session = (request.headers.authorization ?? '').replace(/^Bearer /, '');
    if (!grants.has(session)) return void response.status(401).json({});
    sendings.set(request, { session, used: await usable(session), isAgain: false });
    await proxy(request, response);
  });
  return app;
}

/**
 * One way from the page's call to the platform, in a process of its own: @dowel/server, a bare Koa with undici's
 * `request`, or http-proxy-middleware. The proxies know each tenant's tokens from the start and check nothing else.
 */
import { createHash, randomBytes } from 'node:crypto';
import {
  createServer as createHttpServer,
  Agent as HttpAgent,
  type RequestListener,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { openServerKeyring, openStore, type Store } from '@dowel/installation-store';
import type { Manifest } from '@dowel/schema';
import { createServer, defineOperation, type OperationLimit } from '@dowel/server';
import { createProxyMiddleware } from 'http-proxy-middleware';
import Koa from 'koa';
import { Agent } from 'undici';
import { z } from 'zod';
import { answerParent } from './child-process.ts';
import type { IssuedTokens } from './platform-run.ts';
import { seedGrant } from './seed-grant.ts';

export interface CalledTenant {
  baseUrl: string;
  tokens: IssuedTokens;
}

export interface CallsSetup {
  folder: string;
  origin: string;
  tenants: CalledTenant[];
  manifest: Manifest;
}

export interface CallsCommands {
  /** Resolves with the address, and a session of each tenant. */
  open(setup: CallsSetup): { url: string; sessions: string[] };
  /** CPU time of the process until now, in microseconds. */
  cpu(): number;
}

const connections = 64;

async function listen(listener: RequestListener): Promise<string> {
  const server = createHttpServer(listener);
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const newSession = () => randomBytes(32).toString('base64url');

const defineCall = (limit: OperationLimit) =>
  defineOperation({
    input: z.object({ text: z.string() }),
    output: z.object({ ok: z.boolean() }),
    scopes: ['plugin:notify'],
    limit,
    async run({ input, platform }) {
      const response = await platform.fetch('/api', { json: input });
      return (await response.json()) as { ok: boolean };
    },
  });

async function openDowel({ folder, origin, tenants, manifest }: CallsSetup) {
  const database = { path: join(folder, 'dowel.sqlite') };
  const keyFile = { path: join(folder, 'encryption.key'), production: false };
  const keyring = await openServerKeyring({ keyFile, database }, () => {});
  const store = await openStore({ ...database, keyring });
  const sessions: string[] = [];
  for (const tenant of tenants) sessions.push(await install(store, tenant));
  await store.close();

  const endless = { perUserPerMinute: 10_000_000, perTenantPerMinute: 10_000_000 };
  const operations = { call: defineCall(endless), limited: defineCall({}) };
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const server = createServer({
    manifest,
    database,
    keyFile,
    trust: `${origin}=${origin}/keys/`,
    port: 0,
    environment: {},
    log,
    operations,
  });
  const { url } = await server.start();
  return { url: url.replace('localhost', '127.0.0.1'), sessions };
}

async function install(store: Store, { baseUrl, tokens }: CalledTenant): Promise<string> {
  const grant = { issuer: baseUrl.replace(/\/$/, ''), baseUrl, tokens, isExpired: false };
  const session = newSession();
  const tokenHash = createHash('sha256').update(session).digest('hex');
  await store.transaction(async ({ sessions, ...stores }) => {
    const { id, generation } = await seedGrant(stores, grant);
    const expiresAt = Date.now() + 3_600_000;
    const opened = { installationId: id, generation, userId: 'user', instanceId: 'w', expiresAt };
    await sessions.createPluginSession(tokenHash, opened, session);
  });
  return session;
}

/** The tokens that the proxies know from the start. */
function rememberTenants(tenants: CalledTenant[]) {
  const bySession = new Map(tenants.map((tenant) => [newSession(), tenant]));
  const find = (authorization: string | undefined) =>
    bySession.get((authorization ?? '').replace(/^Bearer /, ''));
  return { sessions: [...bySession.keys()], find };
}

async function openBare({ tenants }: CallsSetup) {
  const { sessions, find } = rememberTenants(tenants);
  const agent = new Agent({ connections });
  const app = new Koa();
  app.use(async (ctx) => {
    const tenant = find(ctx.get('authorization'));
    if (!tenant) return ctx.throw(401);
    const { origin, pathname: path } = new URL('api', tenant.baseUrl);
    const answer = await agent.request({
      origin,
      path,
      method: 'POST',
      headers: {
        authorization: `Bearer ${tenant.tokens.accessToken}`,
        'content-type': 'application/json',
      },
      body: await buffer(ctx.req),
    });
    ctx.status = answer.statusCode;
    ctx.type = String(answer.headers['content-type']);
    ctx.body = Buffer.from(await answer.body.arrayBuffer());
  });
  return { url: await listen(app.callback()), sessions };
}

async function openMiddleware({ tenants, origin }: CallsSetup) {
  const { sessions, find } = rememberTenants(tenants);
  const proxy = createProxyMiddleware({
    target: origin,
    changeOrigin: true,
    agent: new HttpAgent({ keepAlive: true, maxSockets: connections }),
    pathRewrite: (_path, request) =>
      `${new URL(find(request.headers.authorization)?.baseUrl ?? origin).pathname}api`,
    on: {
      proxyReq(outgoing, request) {
        const tenant = find(request.headers.authorization);
        outgoing.setHeader('authorization', `Bearer ${tenant?.tokens.accessToken}`);
      },
    },
  });
  return { url: await listen((request, response) => void proxy(request, response)), sessions };
}

const ways = { dowel: openDowel, bare: openBare, middleware: openMiddleware };

answerParent<CallsCommands>({
  open: (setup) => ways[process.argv[2] as keyof typeof ways](setup),
  cpu() {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
});

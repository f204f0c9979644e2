/**
 * One way from the page's call to the platform, in a process of its own: @dowel/server, a bare Koa with undici's
 * `request` or `fetch`, http-proxy-middleware, or http-proxy-middleware that renews tokens. The proxies know each tenant's
 * tokens from the start and check nothing else.
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
import { Agent, fetch } from 'undici';
import { z } from 'zod';
import { createRenewingMiddleware } from './peers/renewing-middleware.ts';
import { seedGrant } from './seed-grant.ts';
import { answerParent } from './tokens-ipc.ts';
import { type IssuedTokens, lifetimeSeconds } from './tokens-run.ts';

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

interface SentCall {
  headers: Record<string, string>;
  body: Buffer<ArrayBuffer>;
}

interface CallAnswer {
  status: number;
  type: string | null | undefined;
  body: ArrayBuffer;
}

async function openBare(
  { tenants }: CallsSetup,
  send: (url: URL, call: SentCall) => Promise<CallAnswer>,
) {
  const { sessions, find } = rememberTenants(tenants);
  const app = new Koa();
  app.use(async (ctx) => {
    const tenant = find(ctx.get('authorization'));
    if (!tenant) return ctx.throw(401);
    const headers = {
      authorization: `Bearer ${tenant.tokens.accessToken}`,
      'content-type': 'application/json',
    };
    const url = new URL('api', tenant.baseUrl);
    const { status, type, body } = await send(url, { headers, body: await buffer(ctx.req) });
    ctx.status = status;
    ctx.type = type ?? '';
    ctx.body = Buffer.from(body);
  });
  return { url: await listen(app.callback()), sessions };
}

function openBareRequest(setup: CallsSetup) {
  const agent = new Agent({ connections });
  return openBare(setup, async ({ origin, pathname: path }, call) => {
    const { statusCode, headers, body } = await agent.request({
      origin,
      path,
      method: 'POST',
      ...call,
    });
    return {
      status: statusCode,
      type: String(headers['content-type']),
      body: await body.arrayBuffer(),
    };
  });
}

function openBareFetch(setup: CallsSetup) {
  const dispatcher = new Agent({ connections });
  return openBare(setup, async (url, call) => {
    const response = await fetch(url, { method: 'POST', ...call, dispatcher });
    const { status, headers } = response;
    return { status, type: headers.get('content-type'), body: await response.arrayBuffer() };
  });
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

/** Its grants are those of {@link seedGrant}. */
async function openRenewing({ tenants, origin }: CallsSetup) {
  const expiresAt = Date.now() + lifetimeSeconds * 1000;
  const client = { clientId: 'client', clientSecret: 'secret' };
  const grants = new Map(
    tenants.map(({ baseUrl, tokens }) => [
      newSession(),
      { baseUrl, ...client, ...tokens, expiresAt },
    ]),
  );
  const agent = new HttpAgent({ keepAlive: true, maxSockets: connections });
  const app = createRenewingMiddleware({ origin, agent, grants });
  return { url: await listen(app), sessions: [...grants.keys()] };
}

const ways = {
  dowel: openDowel,
  bare: openBareRequest,
  bareFetch: openBareFetch,
  middleware: openMiddleware,
  renewing: openRenewing,
};

answerParent<CallsCommands>({
  open: (setup) => ways[process.argv[2] as keyof typeof ways](setup),
  cpu() {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
});

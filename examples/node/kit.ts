/** The emulated platform and a plug-in's back end, both on loopback, with a database in a temporary folder. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createPlatform, type Platform } from '@dowel/emulator';
import { createKeyring, type Installation, openStore, type Store } from '@dowel/installation-store';
import { createLifecycle, type EventAnswer } from '@dowel/lifecycle';
import { createPlatformJwtVerifier, parseTrustRules } from '@dowel/platform-jwt';
import type { LifecycleEventName } from '@dowel/schema';
import { createTokenClient } from '@dowel/token-client';

type Receive = (name: LifecycleEventName, eventJwt: string) => Promise<EventAnswer>;

export interface Kit extends AsyncDisposable {
  platform: Platform;
  store: Store;
  tenantId: string;
  /** A user of the tenant. */
  colleague: { email: string };
  /** The value of `DOWEL_TRUST` that trusts the platform. */
  trust: string;
  manifestUrl: string;
  /** Every received event, in order. */
  events: { name: LifecycleEventName; eventJwt: string }[];
  /** Handles an event; an example may replace it. */
  receive: Receive;
  /** Installs the plug-in and places one instance of it. */
  install(): Promise<{ installation: Installation; instanceId: string }>;
}

export async function startKit(): Promise<Kit> {
  const folder = await createFolder();
  const platformServer = await startServer();
  const backEnd = await startServer();
  const platformUrl = originOf(platformServer);
  const platform = createPlatform({ origin: platformUrl });
  platformServer.on('request', platform.callback());
  const [tenant] = platform.tenants;
  const colleague = tenant?.users[1];
  if (!tenant || !colleague) throw new Error('The platform has no tenant with two users');
  const { tenantId } = tenant;
  const keyring = createKeyring(randomBytes(32));
  const store = await openStore({ path: join(folder.path, 'dowel.sqlite'), keyring });
  const trust = `${platform.origin}=${platform.origin}/certificates/`;
  const kit: Kit = {
    platform,
    store,
    tenantId,
    colleague,
    trust,
    manifestUrl: `${originOf(backEnd)}/manifest.json`,
    events: [],
    receive: createReception(store, { trust, platformOrigin: platform.origin }),
    async install() {
      const { pluginId, entryPoints } = await platform.install({
        tenantId,
        manifestUrl: kit.manifestUrl,
      });
      const entryPointId = entryPoints[0]?.id ?? '';
      const { instanceId } = await platform.addInstance({ tenantId, pluginId, entryPointId });
      const key = { issuer: tenant.baseUrl, tenantId, pluginId };
      const installation = await store.installations.find(key);
      if (!installation) throw new Error('The installation was not stored');
      return { installation, instanceId };
    },
    async [Symbol.asyncDispose]() {
      platform.close();
      await Promise.all([stopServer(platformServer), stopServer(backEnd)]);
      await store.close();
      await folder[Symbol.asyncDispose]();
    },
  };
  backEnd.on('request', (request, response) => void answer(kit, request, response));
  return kit;
}

function createReception(
  store: Store,
  { trust, platformOrigin }: { trust: string; platformOrigin: string },
): Receive {
  const verifier = createPlatformJwtVerifier({ trustRules: parseTrustRules(trust) });
  const tokenClient = createTokenClient({ store, internalOrigins: [platformOrigin] });
  const lifecycle = createLifecycle({ store, tokenClient, requestedScopes: ['plugin:notify'] });
  return async (name, eventJwt) => lifecycle.accept(await verifier.verifyEvent(eventJwt, name));
}

async function answer(kit: Kit, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'GET') return sendJson(response, 200, manifest);
  const name = request.url?.replace('/lifecycle/', '') as LifecycleEventName;
  const eventJwt = new URLSearchParams(await text(request)).get('token') ?? '';
  kit.events.push({ name, eventJwt });
  const { status, body } = await kit.receive(name, eventJwt);
  sendJson(response, status, body);
}

export async function createFolder(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'dowel-example-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

export async function startServer(): Promise<Server> {
  // A pooled connection must not meet a closing socket.
  const server = createServer({ keepAliveTimeout: 120_000 });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

export function originOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export function stopServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

const manifest = {
  manifestVersion: '2.5.0',
  pluginVersion: '1.0.0',
  name: { en: 'Nudge' },
  description: { en: 'Notify a colleague.' },
  context: ['userName'],
  lifecycle: {
    url: 'lifecycle/',
    events: ['install', 'uninstall', 'instance_add', 'instance_remove'],
  },
  apiAccess: {
    url: 'lifecycle/',
    client: { mode: ['authorization_code'], scope: ['plugin:notify'] },
  },
  entryPoints: [
    {
      id: '6f1c4b1e-6f0b-4c39-9a3e-2f3a4ad0c0de',
      url: 'plugin/',
      name: { en: 'Nudge' },
      description: { en: 'Notify a colleague.' },
    },
  ],
};

/** For tests only: a tenant whose platform each test scripts, and a host that must receive no request. */
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AccessTokenEvent, accessTokenEventSchema, Secret } from '@dowel/schema';
import type { TokenPolicy } from '../policy.ts';
import { createTokenClient, type TokenClient } from '../token-client.ts';
import type { InstallationLife, TokenStore } from '../token-store.ts';
import { createMemoryDatabase } from './memory-database.ts';

const tenantId = 'd290f1ee-6c54-4b01-90e6-d701748f0851';
export const pluginId = '0b5a2a2e-6c1f-4c39-9a3e-2f3a4ad0c0de';
export const goodAnswer = { access_token: 'access', token_type: 'bearer', expires_in: 3600 };

export type HostileWorld = Awaited<ReturnType<typeof startHostileWorld>>;

export async function startHostileWorld() {
  const servers: Server[] = [];
  /** The paths that were requested from the host that must receive no request. */
  const sink: string[] = [];
  const listen = (listener: RequestListener) => listenOnLoopback(servers, listener);
  const sinkUrl = await listen((request, response) => {
    sink.push(request.url ?? '');
    response.end('{}');
  });
  const { store, operationsOf } = await createMemoryDatabase();
  const key = { issuer: sinkUrl, tenantId, pluginId };
  const installation = await store.installations.begin(key, 1);

  /** Uses the default transport, which may reach the tenant of the test. */
  function createClient(baseUrl: string, policy: Partial<TokenPolicy> = {}): TokenClient {
    // The sink is an internal origin, so that the guard does not prevent the request.
    return createTokenClient({ store, policy, internalOrigins: [baseUrl, sinkUrl] });
  }

  /** Resolves with the tokens that were stored. */
  async function exchange(
    client: TokenClient,
    event: AccessTokenEvent,
    requestedScopes: string[] = [],
  ) {
    await client.acceptEvent(installation, event, { requestedScopes, essentialScopes: [] });
    const tokens = await store.grants.load(installation.id);
    if (!tokens) throw new Error('Nothing was stored');
    return { tokens };
  }

  return {
    store,
    operationsOf,
    installation,
    sink,
    sinkUrl,
    listen,
    createClient,
    exchange,

    async exchangeAt(answer: (response: ServerResponse) => void) {
      const baseUrl = await listen((_request, response) => answer(response));
      return exchange(createClient(baseUrl), createEvent(baseUrl), ['plugin:notify']);
    },

    storeGrant: (baseUrl: string, triggerBody: string) =>
      storeGrant({ store, installation }, baseUrl, triggerBody),

    async close(): Promise<void> {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

async function listenOnLoopback(servers: Server[], listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export function createEvent(baseUrl: string, client: Record<string, unknown> = {}) {
  return accessTokenEventSchema.parse({
    iss: baseUrl,
    iat: 1,
    exp: 61,
    sub: 'access_token',
    tenantId,
    pluginId,
    base_url: baseUrl,
    client: {
      client_id: 'client',
      client_secret: 'canary-secret',
      authorization_code: 'canary-code',
      token_endpoint_url: '/token',
      ...client,
    },
  });
}

async function storeGrant(
  { store, installation }: { store: TokenStore; installation: InstallationLife },
  baseUrl: string,
  triggerBody: string,
): Promise<void> {
  const access = {
    baseUrl,
    clientId: 'client',
    clientSecret: new Secret('canary-secret'),
    tokenEndpointUrl: '/token',
    trigger: { url: '/trigger', body: new Secret(triggerBody) },
  };
  const tokens = {
    accessToken: new Secret('canary-access'),
    refreshToken: null,
    grantedScopes: [],
    issuedAt: 1,
    expiresAt: null,
  };
  await store.transaction(({ grants }) =>
    grants.replace(installation, access, tokens, { iat: 1, newestIat: 6 }),
  );
}

export function answerJson(body: unknown, status = 200) {
  return (response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
}

export function answerFine(_request: unknown, response: ServerResponse): void {
  response.end('{}');
}

/** One tenant before a strict authorization server, whose platform counts its requests, and a store. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type AnswerFault,
  answerTokenRequest,
  authorizationCodeGrant,
  createAuthorizationServer,
  introspect,
  issueCode,
  meetFault,
  registerClient,
  revokeAccessTokens,
  sendTokenAnswer,
  strictRules,
  type TokenAnswer,
} from '@dowel/emulator/authorization-server';
import { Secret } from '@dowel/schema';
import { createTokenClient, type TokenClientOptions } from '../token-client.ts';
import type { InstallationLife, TokenSet, TokenStore } from '../token-store.ts';
import { createMemoryDatabase } from './memory-database.ts';

export const tenantId = 'd290f1ee-6c54-4b01-90e6-d701748f0851';
export const pluginId = '0b5a2a2e-6c1f-4c39-9a3e-2f3a4ad0c0de';
export const clientSecret = 'söme:secret-~';

export type TenantPlatform = ReturnType<typeof createPlatform>;
export type TenantWorld = Awaited<ReturnType<typeof startTenantWorld>>;

/** What differs from the tokens that the platform issued. */
export interface TokenChanges {
  refreshToken?: null;
  expiresAt?: null;
}

/** @param now the clock of platform and clients, in epoch milliseconds */
export async function startTenantWorld(now: () => number) {
  const platform = createPlatform();
  const terms = () => ({ now: now(), rules: platform.rules });
  const server = createServer(async (request, response) =>
    sendTokenAnswer(response, await answer(platform, request, terms)),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}/t/acme/`;
  const { store, operationsOf } = await createMemoryDatabase();
  const key = { issuer: baseUrl, tenantId, pluginId };
  const installation = await store.installations.begin(key, 1);
  const { authorizationServer, client } = platform;

  return {
    server,
    store,
    operationsOf,
    platform,
    baseUrl,
    installation,

    createClient(options: Partial<TokenClientOptions> = {}) {
      const internalOrigins = [new URL(baseUrl).origin];
      return createTokenClient({ store, internalOrigins, now, ...options });
    },

    newCode: () => issueCode(authorizationServer, client, terms()),
    voidAccessTokens: () => revokeAccessTokens(client),

    /** Stores tokens that a new code was exchanged for, which ends the grants before it. */
    async storeTokens(changes: TokenChanges = {}): Promise<void> {
      const exchange = { code: issueCode(authorizationServer, client, terms()), ...terms() };
      const issued = authorizationCodeGrant(authorizationServer, client, exchange);
      const tokens = {
        accessToken: new Secret(issued?.access_token ?? ''),
        refreshToken: new Secret(issued?.refresh_token ?? ''),
        grantedScopes: ['plugin:notify'],
        issuedAt: now(),
        expiresAt: now() + 3_600_000,
        ...changes,
      };
      await saveTokens(store, { installation, baseUrl, tokens });
    },

    async close(): Promise<void> {
      server.closeAllConnections();
      server.close();
    },
  };
}

function createPlatform() {
  let made = 0;
  const authorizationServer = createAuthorizationServer({
    tenantId,
    createSecret: (kind) => `${kind}-${++made}${kind === 'code' ? '/+ =&' : ''}`,
  });
  return {
    authorizationServer,
    client: registerClient(authorizationServer, { pluginId, clientId: 'client', clientSecret }),
    rules: strictRules,
    /** Applied to each token request. */
    fault: {} as AnswerFault,
    tokenRequests: [] as { url: URL; authorization: string | undefined; body: string }[],
    triggers: [] as string[],
    calls: 0,
    refusesEverything: false,
    triggerStatus: 202,
    triggerDelayMs: 0,
    /** Awaited before the answer. */
    onTrigger: (): unknown => undefined,
  };
}

async function answer(
  platform: TenantPlatform,
  request: IncomingMessage,
  terms: () => { now: number; rules: TenantPlatform['rules'] },
): Promise<TokenAnswer | 'hangs' | 'lost'> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const body = (await request.toArray()).join('');
  const { authorization } = request.headers;
  if (url.pathname === '/t/acme/api/oauth/token') {
    platform.tokenRequests.push({ url, authorization, body });
    const tokenRequest = { parameters: new URLSearchParams(url.search || body), authorization };
    return meetFault(platform.fault, () =>
      answerTokenRequest(platform.authorizationServer, tokenRequest, terms()),
    );
  }
  if (url.pathname === '/t/acme/api/trigger') {
    platform.triggers.push(body);
    await platform.onTrigger();
    await new Promise((resolve) => setTimeout(resolve, platform.triggerDelayMs));
    return { status: platform.triggerStatus, body: {} };
  }
  platform.calls += 1;
  const accessToken = authorization?.replace(/^Bearer /, '') ?? '';
  const isAccepted =
    introspect(platform.authorizationServer, accessToken, terms().now) !== undefined;
  return { status: isAccepted && !platform.refusesEverything ? 201 : 401, body: {} };
}

async function saveTokens(
  store: TokenStore,
  {
    installation,
    baseUrl,
    tokens,
  }: { installation: InstallationLife; baseUrl: string; tokens: TokenSet },
): Promise<void> {
  const access = {
    baseUrl,
    clientId: 'client',
    clientSecret: new Secret(clientSecret),
    tokenEndpointUrl: 'api/oauth/token',
    trigger: { url: '/api/trigger', body: new Secret('{"token":"t"}') },
  };
  await store.transaction(({ grants }) =>
    grants.replace(installation, access, tokens, { iat: 1, newestIat: 6 }),
  );
}

/**
 * A third-party authorization server: oidc-provider, with rotation and its own reuse detection.
 * It leaves old access tokens alive when it refreshes, as RFC 6749 allows. Codes come from its models;
 * our query parameters become its form body.
 */
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AuthorizationServer, lifetimeSeconds, scope } from '@dowel/token-client/testing';
import { Provider } from 'oidc-provider';
import { createMapAdapter } from './map-adapter.ts';

const redirectUri = 'https://plugin.example.com/callback';
const accountId = 'platform';

interface ProviderContext {
  readonly provider: Provider;
  readonly clients: ReturnType<ReturnType<typeof createMapAdapter>>;
  /** Clients whose refresh tokens are replaced by each refresh. */
  readonly rotating: Set<string>;
  /** The tokens that each client may hold. */
  readonly issued: Map<string, { accessTokens: string[]; grantIds: string[] }>;
}

export async function createOidcProviderServer(): Promise<AuthorizationServer> {
  const adapter = createMapAdapter();
  const rotating = new Set<string>();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = createProvider(issuer, { adapter, rotating });
  server.on('request', provider.callback());
  const clients = adapter('Client');
  const context: ProviderContext = { provider, clients, rotating, issued: new Map() };

  return {
    register: (client) => register(context, client),
    createCode: (clientId) => createCode(context, clientId),
    answer: (_, request) => answer(context, issuer, request),
    async isAlive(clientId, accessToken) {
      const found = await provider.AccessToken.find(accessToken);
      return found?.clientId === clientId;
    },
    revokeAccessTokens: (clientId) => revokeAccessTokens(context, clientId),
    revokeGrants: (clientId) => revokeGrants(context, clientId),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function createProvider(
  issuer: string,
  { adapter, rotating }: { adapter: ReturnType<typeof createMapAdapter>; rotating: Set<string> },
): Provider {
  return new Provider(issuer, {
    adapter,
    scopes: [scope],
    rotateRefreshToken: ({ oidc }) => rotating.has(oidc.client?.clientId ?? ''),
    issueRefreshToken: async () => true,
    findAccount: async () => ({ accountId, claims: async () => ({ sub: accountId }) }),
    ttl: {
      AccessToken: lifetimeSeconds,
      AuthorizationCode: 60,
      Grant: 86_400,
      RefreshToken: 86_400,
    },
    features: { devInteractions: { enabled: false } },
    cookies: { keys: ['unused'] },
    jwks: { keys: [createSigningKey()] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
  });
}

function issuedTo({ issued }: ProviderContext, clientId: string) {
  const found = issued.get(clientId);
  if (!found) throw new Error('No such client is registered');
  return found;
}

async function register(
  { clients, rotating, issued }: ProviderContext,
  { clientId, clientSecret, rotates }: Parameters<AuthorizationServer['register']>[0],
): Promise<void> {
  if (rotates) rotating.add(clientId);
  issued.set(clientId, { accessTokens: [], grantIds: [] });
  await clients.upsert(
    clientId,
    {
      client_id: clientId,
      client_secret: clientSecret,
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: [redirectUri],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_basic',
    },
    0,
  );
}

async function createCode(context: ProviderContext, clientId: string): Promise<string> {
  const { provider } = context;
  const client = await provider.Client.find(clientId);
  if (!client) throw new Error('No such client is registered');
  const grant = new provider.Grant({ accountId, clientId });
  grant.addOIDCScope(scope);
  const grantId = await grant.save();
  issuedTo(context, clientId).grantIds.push(grantId);
  const code = new provider.AuthorizationCode({
    accountId,
    client,
    gty: 'authorization_code',
    grantId,
    redirectUri,
    scope,
  });
  return code.save();
}

async function answer(
  context: ProviderContext,
  issuer: string,
  { parameters, authorization = '' }: Parameters<AuthorizationServer['answer']>[1],
) {
  const form = new URLSearchParams(parameters);
  if (form.has('code')) form.set('redirect_uri', redirectUri);
  const response = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: { authorization },
    body: form,
  });
  const body = (await response.json()) as { access_token?: string };
  if (body.access_token !== undefined) {
    issuedTo(context, clientIdOf(authorization)).accessTokens.push(body.access_token);
  }
  return { status: response.status, body };
}

async function revokeAccessTokens(context: ProviderContext, clientId: string): Promise<void> {
  for (const accessToken of issuedTo(context, clientId).accessTokens.splice(0)) {
    await (await context.provider.AccessToken.find(accessToken))?.destroy();
  }
}

async function revokeGrants(context: ProviderContext, clientId: string): Promise<void> {
  const { provider } = context;
  for (const grantId of issuedTo(context, clientId).grantIds.splice(0)) {
    await provider.AccessToken.revokeByGrantId(grantId);
    await (await provider.Grant.find(grantId))?.destroy();
  }
}

/** Required by the provider, but nothing is signed with it. */
function createSigningKey() {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' };
}

function clientIdOf(authorization: string): string {
  const credentials = Buffer.from(authorization.replace(/^Basic /, ''), 'base64').toString('utf8');
  return credentials.slice(0, credentials.indexOf(':'));
}

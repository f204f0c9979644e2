/** Ours: the token client over the SQLite store, secrets sealed, as the BFF uses it. */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createKeyring, type Installation, openStore, type Store } from '@dowel/installation-store';
import { accessTokenEventSchema, Secret } from '@dowel/schema';
import { createTokenClient, type TokenClient } from '@dowel/token-client';
import { Agent, fetch as undiciFetch } from 'undici';
import { bareFetch, type CreateContender, finish, type Setting } from './contender.ts';

const tenantId = 'd290f1ee-6c54-4b01-90e6-d701748f0851';
const pluginId = '0b5a2a2e-6c1f-4c39-9a3e-2f3a4ad0c0de';
const scopes = ['plugin:notify'];

export const createContender: CreateContender = async (setting) => {
  const path = join(setting.folder, 'dowel.sqlite');
  // The processes of a run share its folder, and so its key.
  const key = createHash('sha256').update(setting.folder).digest();
  const store = await openStore({ path, keyring: createKeyring(key) });
  const client = createTokenClient({
    store,
    // As by default: calls share the connections that all contenders have, token requests have their own.
    fetch: (input, init) => fetch(input, init),
    tokenFetch: createTokenFetch(),
    // The others have no time limit, and on a busy machine the last calls wait long.
    policy: { callTimeoutMs: 120_000 },
  });
  const { id } = await install(store, client, setting);
  return {
    call: async (path = 'api') => finish(await client.fetch(id, path)),
    bare: bareFetch(setting),
    async close() {
      await client.drain();
      await store.close();
    },
  };
};

function createTokenFetch(): typeof fetch {
  const dispatcher = new Agent({ connections: 4 });
  const tokenFetch: typeof undiciFetch = (input, init) =>
    undiciFetch(input, { ...init, dispatcher });
  return tokenFetch as unknown as typeof fetch;
}

/** The first process of a run installs, the others find what it has stored. */
async function install(store: Store, client: TokenClient, setting: Setting): Promise<Installation> {
  const { baseUrl: issuer } = setting;
  const key = { issuer, tenantId, pluginId };
  const known = await store.installations.find(key);
  if (known) return known;
  const now = Date.now();
  const installation = await store.installations.begin(key, 1, now);
  const eventUrl = await listenForEvents(client, installation, setting);
  const access = {
    baseUrl: issuer,
    clientId: setting.clientId,
    clientSecret: new Secret(setting.clientSecret),
    tokenEndpointUrl: 'token',
    trigger: { url: 'trigger', body: new Secret(JSON.stringify({ eventUrl })) },
  };
  const tokens = {
    accessToken: new Secret(setting.accessToken),
    refreshToken: new Secret(setting.refreshToken),
    grantedScopes: scopes,
    issuedAt: now,
    expiresAt: setting.expiresAt,
  };
  const order = { iat: 1, newestIat: 1 };
  await store.transaction(({ grants }) => grants.replace(installation, access, tokens, order));
  return installation;
}

/** Receives the event that a trigger requests: its code, without the signed envelope. */
async function listenForEvents(
  client: TokenClient,
  installation: Installation,
  { baseUrl, clientId, clientSecret }: Setting,
): Promise<string> {
  const server = createServer(async (request, response) => {
    const iat = Math.floor(Date.now() / 1000);
    const event = accessTokenEventSchema.parse({
      iss: baseUrl,
      iat,
      exp: iat + 60,
      sub: 'access_token',
      tenantId,
      pluginId,
      base_url: baseUrl,
      client: {
        client_id: clientId,
        client_secret: clientSecret,
        authorization_code: await text(request),
        token_endpoint_url: 'token',
      },
    });
    await client.acceptEvent(installation, event, { requestedScopes: scopes });
    response.writeHead(201).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

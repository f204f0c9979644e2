/** The emulator's authorization server at its strictest, one for each tenant. */
import {
  answerTokenRequest,
  type Client,
  createAuthorizationServer,
  introspect,
  issueCode,
  registerClient,
  revokeAccessTokens,
  revokeGrants,
  type AuthorizationServer as ServerState,
  strictRules,
  type Terms,
} from '@dowel/emulator/authorization-server';
import { type AuthorizationServer, lifetimeSeconds, scope } from './authorization-server.ts';

interface Tenant {
  server: ServerState;
  client: Client;
  terms: () => Terms;
}

export async function createStrictAuthorizationServer(): Promise<AuthorizationServer> {
  const tenants = new Map<string, Tenant>();

  function tenantOf(clientId: string): Tenant {
    const tenant = tenants.get(clientId);
    if (!tenant) throw new Error('No such client is registered');
    return tenant;
  }

  return {
    async register({ tenantId, pluginId, clientId, clientSecret, rotates }) {
      const server = createAuthorizationServer({ tenantId });
      const rules = {
        ...strictRules,
        accessTokenLifetimeSeconds: lifetimeSeconds,
        grantedScopes: [scope],
        refreshTokens: rotates ? ('rotate' as const) : ('repeat' as const),
      };
      tenants.set(clientId, {
        server,
        client: registerClient(server, { pluginId, clientId, clientSecret }),
        terms: () => ({ now: Date.now(), rules }),
      });
    },

    async createCode(clientId) {
      const { server, client, terms } = tenantOf(clientId);
      return issueCode(server, client, terms());
    },

    async answer(clientId, request) {
      const { server, terms } = tenantOf(clientId);
      return answerTokenRequest(server, request, terms());
    },

    async isAlive(clientId, accessToken) {
      const { server, terms } = tenantOf(clientId);
      return introspect(server, accessToken, terms().now) !== undefined;
    },

    async revokeAccessTokens(clientId) {
      revokeAccessTokens(tenantOf(clientId).client);
    },

    async revokeGrants(clientId) {
      revokeGrants(tenantOf(clientId).client);
    },

    async close() {},
  };
}

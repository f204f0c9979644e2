/**
 * The strictest server that RFC 6749 and RFC 9700 allow: a refresh voids the old access token at once and
 * rotates the refresh token, a new code revokes the tokens of older ones, and a code or refresh token that is
 * presented twice revokes all its tokens.
 */
import { randomUUID } from 'node:crypto';
import {
  type AuthorizationServer,
  type ClientRegistration,
  lifetimeSeconds,
  scope,
  type TokenAnswer,
} from './authorization-server.ts';

/** All tokens of one code. */
interface Family {
  accessToken: string | null;
  refreshToken: string | null;
}

interface Client extends ClientRegistration {
  codes: Set<string>;
  /** The family of every code and refresh token that was used. */
  spent: Map<string, Family>;
  current: Family | null;
}

export async function createStrictAuthorizationServer(): Promise<AuthorizationServer> {
  const clients = new Map<string, Client>();

  function clientOf(clientId: string): Client {
    const client = clients.get(clientId);
    if (!client) throw new Error('No such client is registered');
    return client;
  }

  function authenticate(authorization: string | undefined): Client | undefined {
    const credentials = /^Basic (.+)$/.exec(authorization ?? '')?.[1];
    const [clientId = '', ...secret] = Buffer.from(credentials ?? '', 'base64')
      .toString('utf8')
      .split(':');
    const client = clients.get(clientId);
    return client?.clientSecret === secret.join(':') ? client : undefined;
  }

  function exchange(client: Client, code: string): TokenAnswer {
    if (!client.codes.delete(code)) return punish(client, code);
    end(client.current);
    const family = { accessToken: null, refreshToken: null };
    client.current = family;
    client.spent.set(code, family);
    return issue(family);
  }

  function refresh(client: Client, refreshToken: string): TokenAnswer {
    const family = client.current;
    if (!family || family.refreshToken !== refreshToken) return punish(client, refreshToken);
    if (!client.rotates) return issue(family, refreshToken);
    client.spent.set(refreshToken, family);
    return issue(family);
  }

  /** Reuse revokes the family. An unknown token revokes nothing. */
  function punish(client: Client, credential: string): TokenAnswer {
    end(client.spent.get(credential) ?? null);
    return refusal('invalid_grant');
  }

  return {
    async register({ clientId, clientSecret, rotates }) {
      clients.set(clientId, {
        clientId,
        clientSecret,
        rotates,
        codes: new Set(),
        spent: new Map(),
        current: null,
      });
    },

    async createCode(clientId) {
      const code = `code-${randomUUID()}`;
      clientOf(clientId).codes.add(code);
      return code;
    },

    async answer({ parameters, authorization }) {
      const client = authenticate(authorization);
      if (!client) return refusal('invalid_client', 401);
      switch (parameters.get('grant_type')) {
        case 'authorization_code':
          return exchange(client, parameters.get('code') ?? '');
        case 'refresh_token':
          return refresh(client, parameters.get('refresh_token') ?? '');
        default:
          return refusal('unsupported_grant_type');
      }
    },

    async isAlive(clientId, accessToken) {
      return clientOf(clientId).current?.accessToken === accessToken;
    },

    async revokeAccessTokens(clientId) {
      const { current } = clientOf(clientId);
      if (current) current.accessToken = null;
    },

    async revokeGrants(clientId) {
      end(clientOf(clientId).current);
    },

    async close() {},
  };
}

function issue(family: Family, refreshToken = `refresh-${randomUUID()}`): TokenAnswer {
  family.accessToken = `access-${randomUUID()}`;
  family.refreshToken = refreshToken;
  return {
    status: 200,
    body: {
      access_token: family.accessToken,
      token_type: 'bearer',
      refresh_token: family.refreshToken,
      expires_in: lifetimeSeconds,
      scope,
    },
  };
}

function end(family: Family | null): void {
  if (!family) return;
  family.accessToken = null;
  family.refreshToken = null;
}

function refusal(error: string, status = 400): TokenAnswer {
  return { status, body: { error } };
}

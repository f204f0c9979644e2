/**
 * The authorization server of one tenant: its clients. The verbs on it are in
 * `clients.ts`, `grants.ts` and `answer-token-request.ts`. It has no clock and no HTTP: callers pass the time.
 */
import { randomBytes } from 'node:crypto';
import type { OAuthErrorCode, Secret } from '@dowel/schema';
import type { Client } from './client-schema.ts';
import type { Rules } from './rules.ts';

export interface AuthorizationServer {
  /** Part of each token answer. */
  readonly tenantId: string;
  /** Changed in place. */
  readonly clients: Client[];
  readonly createSecret: (kind: SecretKind) => string;
}

export type SecretKind = 'code' | 'access' | 'refresh' | 'client' | 'trigger';

/** The circumstances of a request. */
export interface Terms {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly rules: Rules;
  /** Wrong spellings of the header `Authorization` that the server recognizes are accepted. Default false. */
  readonly toleratesBasicMistakes?: boolean;
}

export type GrantType = 'authorization_code' | 'refresh_token';

export type TokenEndpointError = Extract<
  OAuthErrorCode,
  'invalid_client' | 'invalid_grant' | 'invalid_request' | 'unsupported_grant_type'
>;

/** What one request to the token endpoint presented. */
export interface Presentation {
  readonly at: number;
  /** Null when the client is unknown or its secret is wrong. */
  readonly pluginId: string | null;
  readonly grantType: GrantType | 'unsupported';
  /** The code or refresh token; empty when there was none. */
  readonly credential: Secret;
  /** Null: tokens were issued. */
  readonly error: TokenEndpointError | null;
}

/**
 * Creates the authorization server of one tenant, in memory.
 *
 * @param options.clients to continue with. Default: none.
 * @param options.createSecret makes codes, tokens and secrets. Default: 256 random bits.
 *
 * @example
 * const server = createAuthorizationServer({ tenantId });
 * const client = registerClient(server, { pluginId });
 * const terms = { now: Date.now(), rules: strictRules };
 * const code = issueCode(server, client, terms);
 * const tokens = authorizationCodeGrant(server, client, { code, ...terms });
 */
export function createAuthorizationServer({
  tenantId,
  clients = [],
  createSecret = randomSecret,
}: Pick<AuthorizationServer, 'tenantId'> &
  Partial<Pick<AuthorizationServer, 'clients' | 'createSecret'>>): AuthorizationServer {
  return { tenantId, clients, createSecret };
}

export function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}

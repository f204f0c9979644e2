/** The OAuth server behind a test platform. Two implementations: ours, and oidc-provider. */

export interface ClientRegistration {
  clientId: string;
  clientSecret: string;
  /** Each refresh replaces the refresh token and voids the old one. */
  rotates: boolean;
}

interface TokenRequest {
  /** From the query or the form body. */
  parameters: URLSearchParams;
  authorization: string | undefined;
}

export interface TokenAnswer {
  status: number;
  headers?: Record<string, string>;
  /** A string is sent unchanged, any other value as JSON. */
  body: unknown;
}

export interface AuthorizationServer {
  register(client: ClientRegistration): Promise<void>;
  createCode(clientId: string): Promise<string>;
  answer(request: TokenRequest): Promise<TokenAnswer>;
  isAlive(clientId: string, accessToken: string): Promise<boolean>;
  /** Voids the client's access tokens, but not its refresh token. */
  revokeAccessTokens(clientId: string): Promise<void>;
  /** Voids all tokens of the client. */
  revokeGrants(clientId: string): Promise<void>;
  close(): Promise<void>;
}

export type AuthorizationServerFactory = () => Promise<AuthorizationServer>;

export const scope = 'plugin:notify';
export const lifetimeSeconds = 3600;

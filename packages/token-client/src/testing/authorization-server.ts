/** What a test platform asks of the OAuth server behind it. Two implementations: ours, and oidc-provider. */

export interface ClientRegistration {
  clientId: string;
  clientSecret: string;
  /** Each refresh replaces the refresh token, and the old one is of no use any more. */
  rotates: boolean;
}

interface TokenRequest {
  /** From the query or the form body, wherever the client put them. */
  parameters: URLSearchParams;
  authorization: string | undefined;
}

export interface TokenAnswer {
  status: number;
  headers?: Record<string, string>;
  /** A string is sent as it is, anything else as JSON. */
  body: unknown;
}

export interface AuthorizationServer {
  register(client: ClientRegistration): Promise<void>;
  createCode(clientId: string): Promise<string>;
  answer(request: TokenRequest): Promise<TokenAnswer>;
  isAlive(clientId: string, accessToken: string): Promise<boolean>;
  /** The client's access tokens are void, its refresh token is not. */
  revokeAccessTokens(clientId: string): Promise<void>;
  /** Nothing the client holds is of use any more. */
  revokeGrants(clientId: string): Promise<void>;
  close(): Promise<void>;
}

export type AuthorizationServerFactory = () => Promise<AuthorizationServer>;

export const scope = 'plugin:notify';
export const lifetimeSeconds = 3600;

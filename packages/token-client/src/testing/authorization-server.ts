/** The OAuth server behind a test platform. Two implementations: ours, and oidc-provider. */
import type { TokenAnswer, TokenRequest } from '@dowel/emulator/authorization-server';

interface ClientRegistration {
  tenantId: string;
  pluginId: string;
  clientId: string;
  clientSecret: string;
  /** Each refresh replaces the refresh token and voids the old one. */
  rotates: boolean;
}

export interface AuthorizationServer {
  register(client: ClientRegistration): Promise<void>;
  createCode(clientId: string): Promise<string>;
  /** @param clientId the client whose platform gets the request. The request may come from another client. */
  answer(clientId: string, request: TokenRequest): Promise<TokenAnswer>;
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

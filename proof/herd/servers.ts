/** The authorization servers that a scenario is tried on. */
import type { AuthorizationServerFactory } from '@dowel/token-client/testing';
import { createStrictAuthorizationServer } from '@dowel/token-client/testing';
import { createOidcProviderServer } from './oidc-provider-server.ts';

export const servers: {
  server: string;
  isStrict: boolean;
  createServer: AuthorizationServerFactory;
}[] = [
  {
    server: 'the strict server',
    isStrict: true,
    createServer: createStrictAuthorizationServer,
  },
  { server: 'oidc-provider', isStrict: false, createServer: createOidcProviderServer },
];

/** The strict server, for what asks nothing of it that another scenario does not ask of both. */
export const usualServers = process.env.DOWEL_TESTS === 'all' ? servers : servers.slice(0, 1);

/** The authorization servers on which a scenario is tested. */
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

/** Only the strict server, for scenarios that need no second server. */
export const usualServers = process.env.DOWEL_TESTS === 'all' ? servers : servers.slice(0, 1);

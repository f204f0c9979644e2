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

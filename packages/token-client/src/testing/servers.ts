/** The authorization servers that a scenario is tried on. */
import type { AuthorizationServerFactory } from './authorization-server.ts';
import { createOidcProviderServer } from './oidc-provider-server.ts';
import { createStrictAuthorizationServer } from './strict-authorization-server.ts';

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

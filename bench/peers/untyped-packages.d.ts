declare module 'undici-oidc-interceptor' {
  import type { Dispatcher } from 'undici-7';

  export function createOidcInterceptor(options: {
    accessToken: string;
    refreshToken: string;
    clientId: string;
    clientSecret?: string;
    idpTokenUrl: string;
    retryOnStatusCodes: number[];
    urls: string[];
  }): Dispatcher.DispatcherComposeInterceptor;
}

/** Starts a third-party identity provider (oidc-provider), and a browser that accepts each sign-in at it. */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';
import { closeHost, listenOnLoopback } from './loopback.ts';

export const oidcClient = { clientId: 'dowel', clientSecret: 'a secret of the client' };

export interface TestOidcProvider extends AsyncDisposable {
  issuer: string;
  /** The claims of the next person who signs in. */
  person: Record<string, unknown>;
  /** The claims that the ID token contains. Default: none; all are at the userinfo endpoint. */
  inIdToken: Record<string, unknown>;
  /** While true, every connection is closed at once. */
  isAway: boolean;
  /** The number of received requests, also while `isAway`. */
  requests: number;
  /** Signs in like a browser, starting at the provider's page. Returns the URL of the final redirect. */
  signIn(url: string): Promise<string>;
  /** Signs out like a browser without a session there. Returns the URL of the final redirect. */
  signOut(url: string): Promise<string>;
}

/** @param redirectUri the callback that the provider accepts */
export async function startOidcProvider(redirectUri: string): Promise<TestOidcProvider> {
  const server = createServer();
  const issuer = await listenOnLoopback(server);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const world: TestOidcProvider = {
    issuer,
    person: {},
    inIdToken: {},
    isAway: false,
    requests: 0,
    signIn: browse,
    signOut,
    [Symbol.asyncDispose]: () => closeHost(server),
  };
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: oidcClient.clientId,
        client_secret: oidcClient.clientSecret,
        redirect_uris: [redirectUri],
        post_logout_redirect_uris: [new URL('/admin/sign-in', redirectUri).href],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    conformIdTokenClaims: false,
    claims: { email: ['email', 'email_verified'], profile: ['groups'] },
    findAccount: async (_context, sub) => ({
      accountId: sub,
      claims: async (use) => ({ sub, ...(use === 'id_token' ? world.inIdToken : world.person) }),
    }),
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: true } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    loadExistingGrant: async ({ oidc: { client, session, provider: owner } }) => {
      const grant = new owner.Grant({
        clientId: client?.clientId,
        accountId: session?.accountId,
      });
      grant.addOIDCScope('openid profile email');
      await grant.save();
      return grant;
    },
    ttl: { AccessToken: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
    pkce: { required: () => true },
    cookies: { keys: [randomUUID()] },
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' }] },
  });
  const handle = provider.callback();
  server.on('request', (request, response) => {
    world.requests += 1;
    if (world.isAway) return void request.socket.destroy();
    if (!request.url?.startsWith('/interaction/')) return handle(request, response);
    const { deny, sub = 'ada-1', ...rest } = world.person as { deny?: boolean; sub?: string };
    world.person = rest;
    const result = deny
      ? { error: 'access_denied', error_description: 'no' }
      : { login: { accountId: sub } };
    void provider.interactionFinished(request, response, result);
  });
  return world;
}

/** Follows redirects with cookies, until one leads to another site. */
async function browse(start: string): Promise<string> {
  const { origin } = new URL(start);
  const cookies = new Map<string, string>();
  let url = start;
  for (let step = 0; step < 10; step += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const text of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
      cookies.set(name, value);
    }
    url = new URL(answer.headers.get('location') ?? '', url).href;
    if (new URL(url).origin !== origin) return url;
  }
  throw new Error('The provider redirects in a circle');
}

/** The provider's page sends its form by itself when nobody is signed in. */
async function signOut(url: string): Promise<string> {
  const page = await fetch(url);
  if (!page.ok) throw new Error(`The provider answered ${page.status}`);
  const html = await page.text();
  const read = (pattern: RegExp) => pattern.exec(html)?.[1] ?? '';
  const cookie = page.headers.getSetCookie().map((each) => each.split(';', 1)[0]);
  const answer = await fetch(new URL(read(/action="([^"]+)"/), url), {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: cookie.join('; ') },
    body: new URLSearchParams({ xsrf: read(/name="xsrf" value="([^"]+)"/), logout: 'yes' }),
  });
  return answer.headers.get('location') ?? '';
}

/** The browser of one person who signs in at an identity provider, and the settings of that sign-in. */
import { Secret } from '@dowel/schema';
import type { OidcSettings } from '../dashboard/oidc-settings.ts';
import { oidcClient, type TestOidcProvider } from './start-oidc-provider.ts';

/** The path that begins a sign-in. */
export const oidcStart = '/admin/api/session/oidc';

/** The cookie that a browser keeps between the two steps. */
export const keptName = '__Host-dowel_oidc';

export function oidcSettingsOf({ issuer }: Pick<TestOidcProvider, 'issuer'>): OidcSettings {
  return {
    issuer,
    clientId: oidcClient.clientId,
    clientSecret: new Secret(oidcClient.clientSecret),
    scope: 'openid profile email',
    roleClaim: 'groups',
    roles: [
      { role: 'viewer', value: 'all' },
      { role: 'operator', value: 'ops' },
      { role: 'owner', value: 'dowel-owners' },
    ],
  };
}

export interface TestBrowser {
  cookies: Map<string, string>;
  /** Name and attributes of each received cookie. */
  attributes: string[];
  /** Follows redirects within the dashboard; a redirect to another site is returned. */
  visit(path: string, init?: RequestInit): Promise<Response>;
}

/**
 * Keeps the cookies that it gets.
 *
 * @param address of its person, for a server behind a proxy
 */
export function createBrowser(url: string, address = '192.0.2.1'): TestBrowser {
  const cookies = new Map<string, string>();
  const attributes: string[] = [];
  return {
    cookies,
    attributes,
    async visit(path, init = {}) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const headers = { cookie, 'x-dowel-csrf': '1', 'x-forwarded-for': address };
      const answer = await fetch(`${url}${path}`, { redirect: 'manual', ...init, headers });
      for (const text of answer.headers.getSetCookie()) {
        const [, name = '', value = '', rest = ''] = /^([^=]+)=([^;]*); (.*)$/.exec(text) ?? [];
        attributes.push(`${name} ${rest}`);
        if (value === '') cookies.delete(name);
        else cookies.set(name, value);
      }
      return answer;
    },
  };
}

export const targetOf = (answer: Response): string => answer.headers.get('location') ?? '';

/** Changes the data that the browser keeps between the two steps, or creates it. */
export function changeKept(cookies: Map<string, string>, change: object): void {
  const text = Buffer.from(cookies.get(keptName) ?? '', 'base64url').toString() || '{}';
  const kept = JSON.parse(text) as object;
  cookies.set(keptName, Buffer.from(JSON.stringify({ ...kept, ...change })).toString('base64url'));
}

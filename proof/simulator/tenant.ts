/**
 * One tenant of the simulated platform: its installation of the plug-in, life after life, and the
 * strictest authorization server that RFC 6749 and RFC 9700 allow. A refresh voids the old access
 * token at once; whoever presents a code or a refresh token twice loses all that came from it.
 */
import type { Climate } from './climate.ts';
import { secretMark } from './simulation.ts';

export interface Life {
  number: number;
  clientId: string;
  clientSecret: string;
  triggerToken: string;
  state: 'installing' | 'installed' | 'ended';
}

/** All that came from one code. */
interface Family {
  code: string;
  life: Life;
  accessToken: string | null;
  expiresAt: number;
  refreshToken: string | null;
}

interface Code {
  life: Life;
  /** Of its event, which may have been signed again later. */
  iat: { first: number; last: number } | undefined;
  family: Family | undefined;
}

/** Where an access token came from. */
export type Origin =
  | { from: 'code'; code: string }
  | { from: 'refresh token'; refreshToken: string };

export interface TokenAnswer {
  status: number;
  body: Record<string, unknown>;
}

export interface TokenRequest {
  clientId: string;
  clientSecret: string;
  grantType: string | null;
  /** The code or the refresh token. */
  presented: string;
}

export interface IssueOptions
  extends Pick<Climate, 'lifetimeSeconds' | 'graceMs' | 'endsOlderGrants'> {
  now: number;
  saysLifetime: boolean;
  givesRefreshToken: boolean;
  keepsRefreshToken: boolean;
}

export type Tenant = ReturnType<typeof createTenant>;

export function createTenant(name: string, number: number) {
  const codes = new Map<string, Code>();
  const spent = new Map<string, { family: Family; at: number }>();
  const origins = new Map<string, Origin>();
  let current: Family | undefined;
  let life: Life | undefined;
  let lives = 0;
  let made = 0;

  /** Its text says whose it is and what it is, for the trace and for the checks. */
  function makeSecret(kind: string): string {
    made += 1;
    return `${secretMark}${name}/${kind}-${made}`;
  }

  function end(family: Family | undefined): void {
    if (!family) return;
    family.accessToken = null;
    family.refreshToken = null;
  }

  function issue(family: Family, origin: Origin, options: IssueOptions): TokenAnswer {
    const accessToken = makeSecret('access');
    origins.set(accessToken, origin);
    family.accessToken = accessToken;
    family.expiresAt = options.now + options.lifetimeSeconds * 1000;
    const isRefresh = origin.from === 'refresh token';
    // An omitted refresh token is the old one, or none at all when there was none (RFC 6749 §6).
    const gives = isRefresh ? !options.keepsRefreshToken : options.givesRefreshToken;
    if (gives) family.refreshToken = makeSecret('refresh');
    return {
      status: 200,
      body: {
        access_token: accessToken,
        token_type: 'bearer',
        scope: 'plugin:notify',
        tenant: tenant.tenantId,
        ...(options.saysLifetime ? { expires_in: options.lifetimeSeconds } : {}),
        ...(gives ? { refresh_token: family.refreshToken } : {}),
      },
    };
  }

  function exchange(text: string, options: IssueOptions): TokenAnswer {
    const code = codes.get(text);
    if (!code || code.life !== life) return refusal('invalid_grant');
    if (code.family) {
      end(code.family);
      return refusal('invalid_grant');
    }
    if (options.endsOlderGrants) end(current);
    current = { code: text, life, accessToken: null, expiresAt: 0, refreshToken: null };
    code.family = current;
    return issue(current, { from: 'code', code: text }, options);
  }

  function refresh(refreshToken: string, options: IssueOptions): TokenAnswer {
    const family = findFamily(refreshToken);
    if (family?.refreshToken === refreshToken) {
      spent.set(refreshToken, { family, at: options.now });
      return issue(family, { from: 'refresh token', refreshToken }, options);
    }
    const used = spent.get(refreshToken);
    if (used && used.family.refreshToken !== null && options.now < used.at + options.graceMs) {
      return issue(used.family, { from: 'refresh token', refreshToken }, options);
    }
    end(used?.family);
    return refusal('invalid_grant');
  }

  function findFamily(refreshToken: string): Family | undefined {
    if (current?.refreshToken === refreshToken) return current;
    for (const { family } of codes.values()) {
      if (family?.refreshToken === refreshToken && family.life === life) return family;
    }
    return undefined;
  }

  const tenant = {
    name,
    tenantId: `0000000${number}-6c54-4b01-90e6-d701748f0851`,
    pluginId: `0000000${number}-6c1f-4c39-9a3e-2f3a4ad0c0de`,
    origin: `https://${name.toLowerCase()}.example.com`,

    life: () => life,

    begin(): Life {
      lives += 1;
      end(current);
      current = undefined;
      life = {
        number: lives,
        clientId: `client-${name}-${lives}`,
        clientSecret: makeSecret('client'),
        triggerToken: makeSecret('trigger'),
        state: 'installing',
      };
      return life;
    },

    end(): void {
      if (life) life.state = 'ended';
      for (const { family } of codes.values()) end(family);
    },

    createCode(of: Life): string {
      const code = makeSecret('code');
      codes.set(code, { life: of, iat: undefined, family: undefined });
      return code;
    },

    /** An event with this code is signed. */
    sign(text: string, iat: number): void {
      const code = codes.get(text);
      if (code) code.iat = { first: code.iat?.first ?? iat, last: iat };
    },

    answer(request: TokenRequest, options: IssueOptions): TokenAnswer {
      const isKnown =
        life !== undefined &&
        life.state !== 'ended' &&
        request.clientId === life.clientId &&
        request.clientSecret === life.clientSecret;
      if (!isKnown) return refusal('invalid_client', 401);
      return request.grantType === 'refresh_token'
        ? refresh(request.presented, options)
        : exchange(request.presented, options);
    },

    accepts(accessToken: string, now: number): boolean {
      for (const { family } of codes.values()) {
        if (family?.accessToken === accessToken) return now < family.expiresAt;
      }
      return false;
    },

    revokeAccessTokens(): void {
      for (const { family } of codes.values()) if (family) family.accessToken = null;
    },

    revokeGrants(): void {
      for (const { family } of codes.values()) end(family);
    },

    /** Undefined: it never issued this one. */
    originOf: (accessToken: string) => origins.get(accessToken),
    /** Undefined: no event carried this code. */
    iatOf: (code: string) => codes.get(code)?.iat,
  };
  return tenant;
}

function refusal(error: string, status = 400): TokenAnswer {
  return { status, body: { error } };
}

/**
 * The tokens that a strict authorization server gave to one client. A refresh voids the access token
 * before it; where refresh tokens rotate, presenting a used one revokes everything (RFC 9700 §4.14.2).
 */
import { randomUUID } from 'node:crypto';

export interface Behaviour {
  /** False: a refresh is answered without a refresh token, so the old one stays (RFC 6749 §6). */
  rotates: boolean;
  /** So many token requests are answered with 503, and change nothing. */
  outages: number;
  /** The refresh token is refused from the beginning. */
  isDead: boolean;
  /** Half of the 401s come so much later than the answer to the first refresh. */
  lateMs: number | null;
}

export interface IssuedTokens {
  accessToken: string;
  refreshToken: string;
}

/** Half a day: longer than the two hours before expiry at which @slack/oauth refreshes. */
export const lifetimeSeconds = 43_200;

export class Family {
  readonly behaviour: Behaviour;
  refreshes = 0;
  triggers = 0;
  #outages: number;
  #accessToken: string | null = null;
  #refreshToken: string | null = null;
  readonly #usedRefreshTokens = new Set<string>();
  readonly #codes = new Set<string>();

  constructor(behaviour: Behaviour) {
    this.behaviour = behaviour;
    this.#outages = behaviour.outages;
  }

  issue(): IssuedTokens {
    this.#accessToken = createJwt();
    this.#refreshToken = createJwt();
    return { accessToken: this.#accessToken, refreshToken: this.#refreshToken };
  }

  createCode(): string {
    const code = randomUUID();
    this.#codes.add(code);
    return code;
  }

  /** The access token ends before its time; the refresh token lives, unless it is a dead one's turn. */
  expire(): void {
    this.#accessToken = null;
    if (this.behaviour.isDead) this.#refreshToken = null;
  }

  accepts(accessToken: string): boolean {
    return accessToken === this.#accessToken;
  }

  /** @returns undefined for an outage, null for `invalid_grant`. */
  exchange(parameters: URLSearchParams): Partial<IssuedTokens> | null | undefined {
    if (parameters.get('grant_type') === 'authorization_code') {
      return this.#codes.delete(parameters.get('code') ?? '') ? this.issue() : null;
    }
    this.refreshes += 1;
    if (this.#outages > 0) {
      this.#outages -= 1;
      return undefined;
    }
    return this.#refresh(parameters.get('refresh_token') ?? '');
  }

  #refresh(presented: string): Partial<IssuedTokens> | null {
    if (this.#usedRefreshTokens.has(presented)) {
      this.#accessToken = null;
      this.#refreshToken = null;
    }
    if (presented !== this.#refreshToken) return null;
    if (!this.behaviour.rotates) {
      this.#accessToken = createJwt();
      return { accessToken: this.#accessToken };
    }
    this.#usedRefreshTokens.add(presented);
    return this.issue();
  }
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const header = encode({ alg: 'HS256', typ: 'JWT' });

/**
 * Has the form of a JWT, because undici-oidc-interceptor reads `exp` and needs an `iss`. It is not
 * verified.
 */
function createJwt(): string {
  const exp = Math.floor(Date.now() / 1000) + lifetimeSeconds;
  return `${header}.${encode({ iss: 'bench', exp, jti: randomUUID() })}.c2lnbmF0dXJl`;
}

/**
 * One tenant of the simulated platform: its installation of the plug-in through all generations, and the
 * emulator's strict authorization server. It remembers the origin of tokens and codes, which the checks
 * compare with the stored data.
 */
import {
  type AuthorizationServer,
  answerTokenRequest,
  type Client,
  createAuthorizationServer,
  forgetClient,
  introspect,
  issueCode,
  type Presentation,
  type Rules,
  registerClient,
  revokeAccessTokens,
  revokeGrants,
  type SecretKind,
  strictRules,
  type Terms,
  type TokenAnswer,
  type TokenRequest,
} from '@dowel/emulator/authorization-server';
import { secretMark } from './simulation.ts';

export interface Life {
  number: number;
  client: Client;
  state: 'installing' | 'installed' | 'ended';
}

/** The origin of an access token. */
type Origin = { from: 'code'; code: string } | { from: 'refresh token'; refreshToken: string };

export type Tenant = ReturnType<typeof createTenant>;

/** Codes do not expire: an event may be delivered a long time after it was signed. */
export const tenantRules: Rules = {
  ...strictRules,
  codeLifetimeSeconds: Number.POSITIVE_INFINITY,
};

interface Context {
  name: string;
  pluginId: string;
  server: AuthorizationServer;
  createSecret: (kind: SecretKind) => string;
  life: Life | undefined;
  /** Origins by access token. */
  origins: Map<string, Origin>;
  /** Expiry by access token, in true time. */
  expiries: Map<string, number>;
  /** First and last `iat` by code. An event may be signed again later. */
  iats: Map<string, { first: number; last: number }>;
}

/** @param origin several tenants may share one. */
export function createTenant(name: string, number: number, origin: string) {
  const digits = String(number).padStart(8, '0');
  const tenantId = `${digits}-6c54-4b01-90e6-d701748f0851`;
  const context = createContext(name, tenantId, `${digits}-6c1f-4c39-9a3e-2f3a4ad0c0de`);
  const { pluginId, server, origins, expiries, iats } = context;
  return {
    name,
    tenantId,
    pluginId,
    origin,
    baseUrl: `${origin}/${name.toLowerCase()}/`,
    life: () => context.life,
    begin: () => beginLife(context),
    end: () => endLife(context),
    createCode: ({ client }: Life) => issueCode(server, client, { now: 0, rules: tenantRules }),
    /** Records that an event with this code is signed. */
    sign(code: string, iat: number): void {
      iats.set(code, { first: iats.get(code)?.first ?? iat, last: iat });
    },
    answer: (request: TokenRequest, terms: Terms) => answer(context, request, terms),
    accepts: (accessToken: string, now: number) =>
      introspect(server, accessToken, now) !== undefined,
    revokeAccessTokens: () => server.clients.forEach(revokeAccessTokens),
    revokeGrants: () => server.clients.forEach(revokeGrants),
    /** Undefined: the tenant never issued this access token. */
    originOf: (accessToken: string) => origins.get(accessToken),
    /** The true time at which it expires; 0 if the tenant never issued it. */
    expiryOf: (accessToken: string) => expiries.get(accessToken) ?? 0,
    /** Undefined: no event carried this code. */
    iatOf: (code: string) => iats.get(code),
  };
}

function createContext(name: string, tenantId: string, pluginId: string): Context {
  const createSecret = createSecrets(name);
  return {
    name,
    pluginId,
    server: createAuthorizationServer({ tenantId, createSecret }),
    createSecret,
    life: undefined,
    origins: new Map(),
    expiries: new Map(),
    iats: new Map(),
  };
}

function beginLife(context: Context): Life {
  const { name, pluginId, server, createSecret } = context;
  const number = (context.life?.number ?? 0) + 1;
  forgetClient(server, pluginId);
  const clientId = `client-${name}-${number}`;
  const clientSecret = createSecret('client');
  const client = registerClient(server, { pluginId, clientId, clientSecret });
  context.life = { number, client, state: 'installing' };
  return context.life;
}

function endLife({ life, server, pluginId }: Context): void {
  if (life) life.state = 'ended';
  forgetClient(server, pluginId);
}

function answer(
  { server, origins, expiries }: Context,
  request: TokenRequest,
  terms: Terms,
): TokenAnswer {
  const { status, body, presentation } = answerTokenRequest(server, request, terms);
  if (presentation.error === null) {
    const { access_token } = body as { access_token: string };
    origins.set(access_token, originOf(presentation));
    expiries.set(access_token, terms.now + terms.rules.accessTokenLifetimeSeconds * 1_000);
  }
  return { status, body };
}

/** Creates secrets whose text contains tenant and kind, for the trace and the checks. */
function createSecrets(name: string): (kind: SecretKind) => string {
  let made = 0;
  return (kind) => {
    made += 1;
    return `${secretMark}${name}/${kind}-${made}`;
  };
}

function originOf({ grantType, credential }: Presentation): Origin {
  return grantType === 'refresh_token'
    ? { from: 'refresh token', refreshToken: credential.reveal() }
    : { from: 'code', code: credential.reveal() };
}

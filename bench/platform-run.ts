/** One tenant's side of the platform: a strict authorization server with one client. */
import { randomUUID } from 'node:crypto';
import {
  type AuthorizationServer,
  authorizationCodeGrant,
  type Client,
  createAuthorizationServer,
  introspect,
  issueCode,
  readPresentation,
  refreshTokenGrant,
  registerClient,
  revokeAccessTokens,
  strictRules,
  type Terms,
} from '@dowel/emulator/authorization-server';

export interface IssuedTokens {
  accessToken: string;
  refreshToken: string;
}

export interface Run {
  readonly server: AuthorizationServer;
  readonly client: Client;
  /** Of its access tokens. */
  lifetimeSeconds: number;
  refreshes: number;
  triggers: number;
}

export function openRun(lifetimeSeconds = 3_600): Run {
  const server = createAuthorizationServer({
    tenantId: randomUUID(),
    createSecret: () => randomUUID(),
  });
  const client = registerClient(server, { pluginId: 'benchmark' });
  return { server, client, lifetimeSeconds, refreshes: 0, triggers: 0 };
}

/** The tokens that a run begins with. */
export function issueFirstTokens({ server, client, lifetimeSeconds }: Run): IssuedTokens {
  const code = issueCode(server, client, terms(lifetimeSeconds));
  const tokens = authorizationCodeGrant(server, client, { code, ...terms(lifetimeSeconds) });
  if (!tokens?.refresh_token) throw new Error('No tokens were issued');
  return { accessToken: tokens.access_token, refreshToken: tokens.refresh_token };
}

/** Revokes the access token before it expires. */
export function expire({ client }: Run): void {
  revokeAccessTokens(client);
}

export function accepts({ server }: Run, accessToken: string): boolean {
  return introspect(server, accessToken, Date.now()) !== undefined;
}

/** The answer to a refresh, or undefined for `invalid_grant`. A used refresh token revokes everything. */
export function refresh(run: Run, parameters: URLSearchParams) {
  const { credential: refreshToken } = readPresentation(parameters);
  run.refreshes += 1;
  return refreshTokenGrant(run.server, run.client, { refreshToken, ...terms(run.lifetimeSeconds) });
}

function terms(accessTokenLifetimeSeconds: number): Terms {
  const rules = {
    ...strictRules,
    accessTokenLifetimeSeconds,
    refreshTokens: 'rotate' as const,
  };
  return { now: Date.now(), rules };
}

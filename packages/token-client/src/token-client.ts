/**
 * Calls a tenant's platform with its access token and keeps that token fresh (Spec §5, "Token
 * handling rules"). A call remembers the version of the token it used: a 401 for an older version
 * only retries, a 401 for the current one joins or starts the installation's single renewal.
 */
import type { ClientAccess, Grant, Installation, Store, TokenSet } from '@dowel/installation-store';
import {
  type AccessTokenEvent,
  defaultPlatformProfile,
  joinPlatformUrl,
  type PlatformProfile,
  type TokenOperation,
} from '@dowel/schema';
import { TokenClientError } from './errors.ts';
import { loadGrant, newerGrant } from './newer-grant.ts';
import { exchangeCode, refreshTokens } from './token-request.ts';
import { TokenRequestError } from './token-request-error.ts';
import { requestNewEvent } from './trigger.ts';

export interface TokenClientOptions {
  store: Store;
  profile?: PlatformProfile;
  fetch?: typeof fetch;
  /** Epoch milliseconds. */
  now?: () => number;
  /** How long a call waits for the access_token event that a trigger asked for. Default 20,000. */
  triggerWaitMs?: number;
}

export type TokenClient = ReturnType<typeof createTokenClient>;

/** A cached token counts as expired this long before it is (Spec §8), or at half its life if that is shorter. */
const maxExpiryMarginMs = 10_000;
const triggerIntervalMs = 30_000;
const requestTimeoutMs = 15_000;

export function createTokenClient({
  store,
  profile = defaultPlatformProfile,
  fetch = globalThis.fetch,
  now = Date.now,
  triggerWaitMs = 20_000,
}: TokenClientOptions) {
  const renewals = new Map<string, Promise<Grant>>();
  const triggeredAt = new Map<string, number>();

  const load = (installationId: string) => loadGrant(store, installationId);

  /** The current grant; waits while a renewal runs, and starts one when the token is about to expire. */
  async function usableGrant(installationId: string): Promise<Grant> {
    const renewal = renewals.get(installationId);
    if (renewal) return renewal;
    const grant = await load(installationId);
    return isFresh(grant, now()) ? grant : renew(installationId, grant.tokenVersion);
  }

  /** One renewal per installation, however many calls need it. */
  function renew(installationId: string, usedVersion: number): Promise<Grant> {
    const running = renewals.get(installationId);
    if (running) return running;
    const renewal = startRenewal(installationId, usedVersion).finally(() =>
      renewals.delete(installationId),
    );
    renewals.set(installationId, renewal);
    return renewal;
  }

  async function startRenewal(installationId: string, usedVersion: number): Promise<Grant> {
    const grant = await load(installationId);
    if (grant.tokenVersion !== usedVersion) return grant;
    if (!grant.refreshToken) return recover(grant, 'no_refresh_token');
    const startedAt = now();
    try {
      const { tenantId } = await installationOf(grant);
      const refreshed = { ...grant, refreshToken: grant.refreshToken };
      const tokens = await refreshTokens(grant, refreshed, { profile, fetch, now, tenantId });
      return await commitRefresh(grant, tokens, startedAt);
    } catch (error) {
      if (!(error instanceof TokenRequestError)) throw error;
      await record(grant, 'refresh', startedAt, error.reason);
      return recover(grant, error.reason);
    }
  }

  /** A refresh that was overtaken by a newer token set drops its own. */
  async function commitRefresh(grant: Grant, tokens: TokenSet, startedAt: number): Promise<Grant> {
    await store.transaction(async ({ grants, events }) => {
      const stored = await grants.commitRefresh(grant, tokens);
      await events.recordTokenOperation({
        installationId: grant.installationId,
        operation: 'refresh',
        startedAt,
        durationMs: now() - startedAt,
        succeeded: stored,
        tokenVersion: stored ? grant.tokenVersion + 1 : null,
        reason: stored ? null : 'superseded',
      });
    });
    return load(grant.installationId);
  }

  /** Asks for a new access_token event and waits until its tokens are stored (Spec §4.3). */
  async function recover(grant: Grant, reason: string): Promise<Grant> {
    await store.transaction(({ grants }) => grants.markAwaitingEvent(grant, reason, now()));
    const waiting = new AbortController();
    const timeout = setTimeout(() => {
      waiting.abort(unavailable('The new access_token event has not arrived in time'));
    }, triggerWaitMs);
    try {
      const arrival = newerGrant(store, grant, waiting.signal);
      const [arrived] = await Promise.all([arrival, trigger(grant)]);
      triggeredAt.delete(grant.installationId);
      return arrived;
    } finally {
      clearTimeout(timeout);
      waiting.abort();
    }
  }

  async function trigger(grant: Grant): Promise<void> {
    const last = triggeredAt.get(grant.installationId);
    const startedAt = now();
    if (last !== undefined && startedAt - last < triggerIntervalMs) return;
    triggeredAt.set(grant.installationId, startedAt);
    const reason = await requestNewEvent(grant, fetch, requestTimeoutMs);
    await record(grant, 'trigger', startedAt, reason);
    if (reason !== null) throw unavailable(`The platform did not take the trigger: ${reason}`);
  }

  function unavailable(message: string): TokenClientError {
    return new TokenClientError('TOKEN_UNAVAILABLE', message, {
      retryAfterSeconds: triggerIntervalMs / 1000,
    });
  }

  async function installationOf(grant: Grant): Promise<Installation> {
    const installation = await store.installations.get(grant.installationId);
    if (!installation) throw new TokenClientError('GRANT_NOT_FOUND', 'The installation is gone');
    return installation;
  }

  async function record(
    grant: Grant,
    operation: TokenOperation['operation'],
    startedAt: number,
    reason: string | null,
  ): Promise<void> {
    await store.events.recordTokenOperation({
      installationId: grant.installationId,
      operation,
      startedAt,
      durationMs: now() - startedAt,
      succeeded: reason === null,
      tokenVersion: null,
      reason,
    });
  }

  async function send(grant: Grant, path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${grant.accessToken.reveal()}`);
    return fetch(joinPlatformUrl(grant.baseUrl, path), {
      ...init,
      headers,
      redirect: 'error',
      signal: init.signal ?? AbortSignal.timeout(requestTimeoutMs),
    });
  }

  return {
    /**
     * Exchanges the event's one-time code (Spec §4.2). Stores nothing: the caller commits the tokens
     * together with its answer to the event.
     *
     * @throws TokenRequestError
     */
    async exchange(
      { tenantId }: Installation,
      event: AccessTokenEvent,
      requestedScopes: string[],
    ): Promise<{ access: ClientAccess; tokens: TokenSet }> {
      const access = clientAccessOf(event);
      const code = event.client.authorization_code.reveal();
      const options = { profile, fetch, now, tenantId, requestedScopes };
      return { access, tokens: await exchangeCode(access, code, options) };
    },

    /**
     * Calls the tenant's platform with its access token; on 401 renews the token and tries once more.
     *
     * @param path relative to the tenant's `base_url`; the token goes nowhere else.
     * @param init `body` must be replayable: a string or bytes, no stream.
     * @throws TokenClientError
     */
    async fetch(
      installationId: string,
      path: string,
      init: RequestInit & { body?: string | Uint8Array<ArrayBuffer> } = {},
    ): Promise<Response> {
      const grant = await usableGrant(installationId);
      const response = await send(grant, path, init);
      if (response.status !== 401) return response;
      await response.body?.cancel();
      return send(await renew(installationId, grant.tokenVersion), path, init);
    },
  };
}

function isFresh({ issuedAt, expiresAt }: TokenSet, at: number): boolean {
  if (expiresAt === null) return true;
  const marginMs = Math.min(maxExpiryMarginMs, (expiresAt - issuedAt) / 2);
  return at < expiresAt - marginMs;
}

function clientAccessOf({ base_url, client }: AccessTokenEvent): ClientAccess {
  const trigger = client.trigger_event;
  return {
    baseUrl: base_url,
    clientId: client.client_id,
    clientSecret: client.client_secret,
    tokenEndpointUrl: client.token_endpoint_url,
    trigger: trigger ? { url: trigger.url, body: trigger.body ?? null } : null,
  };
}

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
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { TokenClientError } from './errors.ts';
import { loadGrant } from './newer-grant.ts';
import { createRecovery } from './recovery.ts';
import { exchangeCode, refreshTokens } from './token-request.ts';
import { TokenRequestError } from './token-request-error.ts';

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
/** A platform that answers 401 to every token must not be asked for ever more of them (Spec §5). */
const maxRefreshesPerMinute = 10;
const retryAfterSeconds = 5;
const requestTimeoutMs = 15_000;

export function createTokenClient({
  store,
  profile = defaultPlatformProfile,
  fetch = globalThis.fetch,
  now = Date.now,
  triggerWaitMs = 20_000,
}: TokenClientOptions) {
  const renewals = new Map<string, Promise<Grant>>();
  const refreshes = new RateLimiterMemory({ points: maxRefreshesPerMinute, duration: 60 });
  const recover = createRecovery({
    store,
    fetch,
    now,
    requestTimeoutMs,
    waitMs: triggerWaitMs,
    record,
  });

  const load = (installationId: string) => loadGrant(store, installationId);

  /** The current grant; waits while a renewal runs, and starts one when the token is about to expire. */
  async function usableGrant(installationId: string): Promise<Grant> {
    const renewal = renewals.get(installationId);
    if (renewal) return renewal;
    const grant = await load(installationId);
    if (isFresh(grant, now())) return grant;
    return renew(installationId, grant.tokenVersion).catch((error: unknown) => {
      // A fault that may pass costs nothing while the token in hand still lives.
      const mayUse = isRefreshFailed(error) && grant.expiresAt !== null && now() < grant.expiresAt;
      if (mayUse) return grant;
      throw error;
    });
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
    await assertMayRefresh(installationId);
    const startedAt = now();
    try {
      const { tenantId } = await installationOf(grant);
      const refreshed = { ...grant, refreshToken: grant.refreshToken };
      const tokens = await refreshTokens(grant, refreshed, { profile, fetch, now, tenantId });
      return await commitRefresh(grant, tokens, startedAt);
    } catch (error) {
      if (!(error instanceof TokenRequestError)) throw error;
      await record(grant, 'refresh', startedAt, error.reason);
      if (error.rejected) return recover(grant, error.reason);
      throw refreshFailed(`The refresh failed and may be tried again: ${error.reason}`);
    }
  }

  async function assertMayRefresh(installationId: string): Promise<void> {
    await refreshes.consume(installationId).catch(() => {
      throw refreshFailed('Too many refreshes in a minute');
    });
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
    /** Resolves when no renewal is under way: its tokens are stored, or it has failed. */
    async drain(): Promise<void> {
      await Promise.allSettled(renewals.values());
    },

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

function refreshFailed(message: string): TokenClientError {
  return new TokenClientError('REFRESH_FAILED', message, { retryAfterSeconds });
}

function isRefreshFailed(error: unknown): boolean {
  return error instanceof TokenClientError && error.code === 'REFRESH_FAILED';
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

/**
 * From an access_token event to stored tokens (Spec §4.1, §4.2): the intent is durable before the code
 * is spent, refreshes are held back meanwhile, and the tokens are stored together with the answer.
 */
import { createHash } from 'node:crypto';
import {
  type ClientAccess,
  type EventOrder,
  type ExchangeEnding,
  type Installation,
  StoreError,
  type Stores,
  type TokenSet,
} from '@dowel/installation-store';
import type { AccessTokenEvent } from '@dowel/schema';
import type { TokenContext } from './context.ts';
import { createLine } from './line.ts';
import { insist } from './save-tokens.ts';
import { exchangeCode } from './token-request.ts';
import { TokenRequestError } from './token-request-error.ts';

/** A code is worth more patience than a refresh token. */
export const exchangeTimeoutMs = 10_000;

export interface Acceptance {
  outcome: 'stored' | 'superseded' | 'ended';
  /** Of the tokens that were stored; null when none were. */
  tokenVersion: number | null;
}

export interface AcceptEventOptions<Result> {
  requestedScopes: string[];
  /** Where the event stands among the others. Default: by its `iat`. */
  order?: EventOrder;
  /** Without these the tokens are refused (Spec §4.1). Default: all requested ones. */
  essentialScopes?: string[];
  /** Runs right before the code is sent; throws a TokenRequestError to hold it back. */
  beforeSend?: () => void;
  /** Runs in the transaction that stores the tokens; again if the database fails in passing. */
  commit?: (stores: Stores, acceptance: Acceptance) => Promise<Result>;
}

export function createAcceptance(
  context: TokenContext,
  inBackground: (work: Promise<unknown>) => void,
) {
  const { store, cache, policy, now, observe } = context;
  const inLine = createLine(policy.exchangesAtOnce);

  async function write<Result>(
    installation: Installation,
    received: Received,
    commit: AcceptEventOptions<Result>['commit'],
  ): Promise<{ acceptance: Acceptance; result: Result | undefined }> {
    const { access, tokens, order, startedAt, codeDigest } = received;
    return store.transaction(async (stores) => {
      const { id } = installation;
      const outcome = await stores.grants.replace(installation, access, tokens, order);
      const isStored = outcome === 'stored';
      await stores.renewals.endExchange(id, codeDigest, 'over');
      const version = isStored ? await stores.grants.findVersion(id) : undefined;
      const acceptance = { outcome, tokenVersion: version?.tokenVersion ?? null };
      await stores.events.recordTokenOperation({
        installationId: id,
        operation: 'exchange',
        startedAt,
        durationMs: now() - startedAt,
        succeeded: isStored,
        tokenVersion: acceptance.tokenVersion,
        reason: isStored ? null : reasons[outcome],
      });
      return { acceptance, result: await commit?.(stores, acceptance) };
    });
  }

  async function redeem(
    { tenantId }: Installation,
    event: AccessTokenEvent,
    { requestedScopes, beforeSend }: ExchangeOptions,
  ): Promise<{ access: ClientAccess; tokens: TokenSet }> {
    const access = clientAccessOf(event);
    const code = event.client.authorization_code.reveal();
    const limitMs = () => {
      beforeSend?.();
      return exchangeTimeoutMs;
    };
    const limits = { tenantId, requestedScopes, limitMs };
    return { access, tokens: await exchangeCode(access, code, { ...context, ...limits }) };
  }

  /** Undefined: the installation's life has ended. The intent is durable before the code is sent. */
  async function begin(
    installation: Installation,
    event: AccessTokenEvent,
    { codeDigest, ...options }: ExchangeOptions & { codeDigest: string },
  ): Promise<Begun | undefined> {
    const { baseUrl, trigger } = clientAccessOf(event);
    const intent = { iat: event.iat, codeDigest, baseUrl, trigger };
    const begun = await store.transaction(({ renewals }) =>
      renewals.beginExchange(installation, intent, policy.leaseMs),
    );
    if (begun === undefined) return undefined;
    const redeemed =
      begun.presented > policy.maxPresentations
        ? Promise.reject(new TokenRequestError('code_unanswered', { rejected: true }))
        : redeem(installation, event, options);
    await redeemed.catch(() => {});
    return { ...begun, redeemed };
  }

  /** The installation's life ended before its code was spent. */
  async function decline<Result>(
    commit: AcceptEventOptions<Result>['commit'],
  ): Promise<Acceptance & { result: Result | undefined }> {
    const acceptance: Acceptance = { outcome: 'ended', tokenVersion: null };
    const result = await store.transaction(async (stores) => commit?.(stores, acceptance));
    return { ...acceptance, result };
  }

  async function accept<Result = undefined>(
    installation: Installation,
    event: AccessTokenEvent,
    options: AcceptEventOptions<Result>,
  ): Promise<Acceptance & { result: Result | undefined }> {
    const { id: installationId } = installation;
    const { order = { iat: event.iat, newestIat: event.iat } } = options;
    const codeDigest = digestOf(event);
    const startedAt = now();
    const begun = await inLine(event.base_url, () =>
      begin(installation, event, { ...options, codeDigest }),
    );
    if (begun === undefined) return decline(options.commit);
    try {
      const { access, tokens } = await begun.redeemed;
      assertGranted(tokens, options.essentialScopes ?? options.requestedScopes);
      const received = {
        access,
        tokens: { ...tokens, isInDoubt: begun.unanswered > 0 },
        order,
        startedAt,
        codeDigest,
      };
      const { acceptance, result } = await insist(
        context,
        () => write(installation, received, options.commit),
        isDatabaseAway,
      );
      const { tokenVersion } = acceptance;
      if (tokenVersion !== null) {
        observe({ type: 'exchanged', installationId, tokenVersion });
        const wasDead = installation.status === 'awaiting_event';
        if (wasDead) observe({ type: 'recovered', installationId, tokenVersion });
        await cache.read(installationId).catch(() => {});
      }
      return { ...acceptance, result };
    } catch (error) {
      await store
        .transaction(({ renewals }) =>
          renewals.endExchange(installationId, codeDigest, endingOf(error, begun)),
        )
        .catch(() => {});
      throw error;
    }
  }

  /**
   * Exchanges the event's one-time code and stores what it brought. The caller sees to it that an
   * event is accepted once.
   *
   * @throws TokenRequestError, StoreError, and what `commit` throws.
   */
  function acceptEvent<Result = undefined>(
    installation: Installation,
    event: AccessTokenEvent,
    options: AcceptEventOptions<Result>,
  ): Promise<Acceptance & { result: Result | undefined }> {
    const accepted = accept(installation, event, options);
    inBackground(accepted);
    return accepted;
  }

  return {
    acceptEvent,

    /**
     * Exchanges the event's one-time code (Spec §4.2). Stores nothing.
     *
     * @throws TokenRequestError
     */
    exchange: (installation: Installation, event: AccessTokenEvent, requestedScopes: string[]) =>
      inLine(event.base_url, () => redeem(installation, event, { requestedScopes })),
  };
}

type ExchangeOptions = Pick<AcceptEventOptions<unknown>, 'requestedScopes' | 'beforeSend'>;

interface Begun {
  /** How often the code was presented while no answer was read, this time included. */
  presented: number;
  /** How many earlier presentations, of this code or another, may still arrive. */
  unanswered: number;
  redeemed: Promise<{ access: ClientAccess; tokens: TokenSet }>;
}

interface Received {
  access: ClientAccess;
  tokens: TokenSet;
  order: EventOrder;
  startedAt: number;
  codeDigest: string;
}

/** A refusal of a code that was presented before may only say that its tokens were lost. */
function endingOf(error: unknown, { presented }: Begun): ExchangeEnding {
  if (!(error instanceof TokenRequestError)) return 'unknown';
  if (error.rejected) return presented === 1 ? 'over' : 'unknown';
  if (error.mayBeSpent) return 'unknown';
  return error.mayArrive ? 'deferred' : 'unspent';
}

function assertGranted({ grantedScopes }: TokenSet, essentialScopes: string[]): void {
  if (essentialScopes.every((scope) => grantedScopes.includes(scope))) return;
  throw new TokenRequestError('scope_missing', { rejected: true });
}

function digestOf({ client }: AccessTokenEvent): string {
  return createHash('sha256').update(client.authorization_code.reveal()).digest('base64url');
}

const reasons = { superseded: 'superseded', ended: 'after_uninstall' };

function isDatabaseAway(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'DATABASE_UNAVAILABLE';
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

/**
 * Exchanges the code of an access_token event and stores the tokens (Spec §4.1, §4.2). The intent is durable
 * before the code is sent, refreshes are held back meanwhile, and the tokens are stored together with the
 * answer.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { AccessTokenEvent } from '@dowel/schema';
import { observeRespelled, type TokenContext } from './context.ts';
import { isDatabaseAway } from './errors.ts';
import { withPlace } from './fair-gate.ts';
import { observeChange, recordRecovery } from './record-recovery.ts';
import { retryUntilStored } from './save-tokens.ts';
import { mayBeStored, takeBackLater } from './take-back.ts';
import { exchangeCode } from './token-request.ts';
import { endingOf as endingOfRequest, TokenRequestError } from './token-request-error.ts';
import type {
  ClientAccess,
  EventOrder,
  ExchangeEnding,
  InstallationLife,
  RecoveredChange,
  TokenSet,
  TokenStores,
} from './token-store.ts';

/** A code gets more time than a refresh token, because it cannot be presented twice. */
export const exchangeTimeoutMs = 10_000;

export interface Acceptance {
  outcome: 'stored' | 'superseded' | 'ended';
  /** The version of the stored tokens; null if none were stored. */
  tokenVersion: number | null;
  /** The generation of the stored tokens. They may have begun the next life. Null if none were stored. */
  generation: number | null;
  /** The scopes of the stored tokens; empty if none were stored. */
  grantedScopes: readonly string[];
  /** The scopes of the tokens that these replace; empty if there were none. */
  previousScopes: readonly string[];
}

export interface AcceptEventOptions<Result, Stores extends TokenStores = TokenStores> {
  /** The scopes that the manifest requests. They count as granted if the token answer names none (RFC 6749 §5.1). */
  requestedScopes: string[];
  /** The place of the event in the order of events. Default: by its `iat`. */
  order?: EventOrder;
  /** Without these the tokens are refused (Spec §4.1). Default: all requested ones. */
  essentialScopes?: string[];
  /**
   * Called first in the transaction that stores the intent to send the code. If false, nothing is stored or
   * sent, and `commit` is not called.
   */
  mayBegin?(stores: Stores): Promise<boolean>;
  /** Called right before the code is sent. If false, it is not sent, and the call fails with `lease_lapsed`. */
  mayStillSend?: () => boolean;
  /**
   * Called first in the transaction that stores the tokens. `ended`: they belong to an ended life, and are not stored. If
   * false, they are dropped, and `commit` is not called.
   */
  mayStore?(stores: Stores): Promise<boolean | 'ended'>;
  /**
   * Runs in the transaction that stores the tokens, and again if that transaction is repeated. If it throws,
   * the transaction is rolled back.
   */
  commit?(stores: Stores, acceptance: Acceptance): Promise<Result>;
}

type AcceptedEvent<Result> = AcceptEventOptions<Result> & {
  installation: InstallationLife;
  event: AccessTokenEvent;
};

export type Accepted<Result> = Omit<Acceptance, 'outcome'> & {
  /** `dropped`: `mayBegin` or `mayStore` returned false. */
  outcome: Acceptance['outcome'] | 'dropped';
  result: Result | undefined;
};

/** The result for an event that stores no tokens. */
const withoutTokens = {
  tokenVersion: null,
  generation: null,
  grantedScopes: [],
  previousScopes: [],
};

const dropped = { ...withoutTokens, outcome: 'dropped', result: undefined } as const;

interface Begun {
  /** Names this presentation. */
  attempt: string;
  /** How often the code was presented without an answer, this time included. */
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

/**
 * Exchanges the event's one-time code and stores the tokens.
 *
 * @throws TokenRequestError, TokenStoreError, and what `commit` throws.
 */
export async function acceptEvent<Result = undefined>(
  context: TokenContext,
  accepted: AcceptedEvent<Result>,
): Promise<Accepted<Result>> {
  const { gates, now, timer } = context;
  const { installation, event } = accepted;
  const codeDigest = codeDigestOf(event);
  const startedAt = now();
  const who = { key: event.base_url, tenant: installation.id };
  const wait = { timer, ms: exchangeTimeoutMs };
  const begun = await withPlace(gates.exchange, who, wait, async (report) => {
    const exchange = await begin(context, accepted, codeDigest);
    if (typeof exchange === 'object') report(await endingOfRequest(exchange.redeemed));
    return exchange;
  });
  if (begun === undefined) throw new TokenRequestError('turn_missed');
  if (begun === 'dropped') return dropped;
  if (begun === 'ended') return commitEnded(context, accepted);
  try {
    return await storeRedeemed(context, accepted, { begun, startedAt, codeDigest });
  } catch (error) {
    const ending = endingOf(error, begun);
    if (ending === 'unspent') await endUnspent(context, installation, begun.attempt);
    else await endFailedExchange(context, accepted, { codeDigest, ending });
    throw error;
  }
}

/** `ended`: the installation's life has ended. The intent is durable before the code is sent. */
async function begin(
  context: TokenContext,
  accepted: AcceptedEvent<unknown>,
  codeDigest: string,
): Promise<Begun | 'ended' | 'dropped'> {
  const { store, policy } = context;
  const { installation, event, mayBegin } = accepted;
  const { baseUrl, trigger } = clientAccessOf(event);
  const attempt = randomUUID();
  const intent = { iat: event.iat, codeDigest, attempt, baseUrl, trigger };
  const beginning = store.transaction(async (stores) => {
    if ((await mayBegin?.(stores)) === false) return 'dropped' as const;
    return stores.renewals.beginExchange(installation, intent, policy.leaseMs);
  });
  const begun = await beginning.catch((error: unknown) => {
    const takeBack = takeBackOf(context, installation, attempt);
    // The beginning of this attempt may be stored.
    if (mayBeStored(error)) takeBackLater(context, installation.id, takeBack);
    throw error;
  });
  if (begun === undefined) return 'ended';
  if (begun === 'dropped') return begun;
  const redeemed =
    begun.presented > policy.maxPresentations
      ? Promise.reject(new TokenRequestError('code_unanswered', { rejected: true }))
      : exchangeForEvent(context, accepted);
  await redeemed.catch(() => {});
  return { ...begun, attempt, redeemed };
}

/** Takes back a presentation whose code was not sent. If another process has presented it since, that one stays. */
function takeBackOf({ store }: TokenContext, { id }: InstallationLife, attempt: string) {
  return () =>
    store.transaction(({ renewals }) => renewals.endExchange(id, { attempt }, 'unspent'));
}

async function exchangeForEvent(
  context: TokenContext,
  { installation, event, requestedScopes, mayStillSend }: AcceptedEvent<unknown>,
): Promise<{ access: ClientAccess; tokens: TokenSet }> {
  const access = clientAccessOf(event);
  const code = event.client.authorization_code.reveal();
  const limitMs = () => {
    if (mayStillSend?.() === false) throw new TokenRequestError('lease_lapsed');
    return exchangeTimeoutMs;
  };
  const isAllowed = context.allowsOrigin(installation.issuer);
  const { id: installationId, tenantId } = installation;
  const options = {
    ...context,
    tenantId,
    requestedScopes,
    limitMs,
    isAllowed,
    onRespelled: observeRespelled(context, installationId),
  };
  return { access, tokens: await exchangeCode(access, code, options) };
}

async function storeRedeemed<Result>(
  context: TokenContext,
  accepted: AcceptedEvent<Result>,
  { begun, ...received }: { begun: Begun; startedAt: number; codeDigest: string },
): Promise<Accepted<Result>> {
  const { installation, event, requestedScopes, essentialScopes = requestedScopes } = accepted;
  const { order = { iat: event.iat, newestIat: event.iat } } = accepted;
  const { access, tokens: redeemed } = await begun.redeemed;
  // control C16
  assertGranted(redeemed, essentialScopes);
  const tokens = { ...redeemed, isInDoubt: begun.unanswered > 0 };
  const stored = await retryUntilStored(
    context,
    () => write(context, accepted, { ...received, access, tokens, order }),
    { installationId: installation.id, isTemporary: isDatabaseAway },
  );
  if (stored.tokenVersion !== null) await announce(context, installation, stored.tokenVersion);
  return stored;
}

/** Stores the tokens, the end of the intent, the history and the additions of `commit` in one transaction. */
async function write<Result>(
  context: TokenContext,
  { installation, mayStore, commit }: AcceptedEvent<Result>,
  { access, tokens, order, startedAt, codeDigest }: Received,
): Promise<Accepted<Result>> {
  const { store, now } = context;
  let recovery: RecoveredChange | undefined;
  const save = async (stores: TokenStores): Promise<Accepted<Result>> => {
    const { id } = installation;
    const right = await mayStore?.(stores);
    if (right === false) {
      await stores.renewals.endExchange(id, codeDigest, 'unknown');
      return dropped;
    }
    const previousScopes = (await stores.grants.findVersion(id))?.grantedScopes ?? [];
    const outcome =
      right === 'ended' ? right : await stores.grants.replace(installation, access, tokens, order);
    const isStored = outcome === 'stored';
    await stores.renewals.endExchange(id, codeDigest, 'over');
    recovery = isStored ? await recordRecovery(context, stores, id) : undefined;
    const version = isStored ? await stores.grants.findVersion(id) : undefined;
    const acceptance: Acceptance = {
      outcome,
      tokenVersion: version?.tokenVersion ?? null,
      generation: version?.generation ?? null,
      grantedScopes: isStored ? tokens.grantedScopes : [],
      previousScopes,
    };
    await stores.events?.recordTokenOperation({
      installationId: id,
      operation: 'exchange',
      startedAt,
      durationMs: now() - startedAt,
      succeeded: isStored,
      tokenVersion: acceptance.tokenVersion,
      reason: isStored ? null : reasons[outcome],
    });
    return { ...acceptance, result: await commit?.(stores, acceptance) };
  };
  const accepted = await store.transaction(save, { isUrgent: true });
  observeChange(context, recovery);
  return accepted;
}

async function announce(
  { observe, cache }: TokenContext,
  { id: installationId, status }: InstallationLife,
  tokenVersion: number,
): Promise<void> {
  observe({ type: 'exchanged', installationId, tokenVersion });
  if (status === 'awaiting_event') observe({ type: 'recovered', installationId, tokenVersion });
  await cache.read(installationId).catch(() => {});
}

/** The installation's life ended before its code was spent. */
async function commitEnded<Result>(
  { store }: TokenContext,
  { commit }: AcceptedEvent<Result>,
): Promise<Accepted<Result>> {
  const acceptance: Acceptance = { ...withoutTokens, outcome: 'ended' };
  const result = await store.transaction(async (stores) => commit?.(stores, acceptance));
  return { ...acceptance, result };
}

async function endUnspent(
  context: TokenContext,
  installation: InstallationLife,
  attempt: string,
): Promise<void> {
  const takeBack = takeBackOf(context, installation, attempt);
  try {
    await takeBack();
  } catch {
    takeBackLater(context, installation.id, takeBack);
  }
}

async function endFailedExchange(
  { store }: TokenContext,
  { installation }: AcceptedEvent<unknown>,
  { codeDigest, ending }: { codeDigest: string; ending: ExchangeEnding },
): Promise<void> {
  await store
    .transaction(({ renewals }) => renewals.endExchange(installation.id, codeDigest, ending))
    .catch(() => {});
}

/** If the code was presented before, a refusal may only mean that its tokens were lost. */
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

/** Identifies an event's code in an ExchangeIntent without containing it. */
export function codeDigestOf({ client }: AccessTokenEvent): string {
  return createHash('sha256').update(client.authorization_code.reveal()).digest('base64url');
}

const reasons = { superseded: 'superseded', ended: 'after_uninstall' };

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

/**
 * Applies verified events to installations (Spec §3, §6). An event is decided once, by whichever
 * process claims it in the inbox; its verdict is stored in the transaction that applies it, and every
 * further delivery is answered alike and changes nothing.
 */
import { randomUUID } from 'node:crypto';
import type {
  Installation,
  InstallationKey,
  Store,
  Stores,
  TokenOperationEntry,
} from '@dowel/installation-store';
import type { AccessTokenEvent, LifecycleEvent } from '@dowel/schema';
import { type TokenClient, TokenRequestError } from '@dowel/token-client';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { accepted, type EventAnswer, refuse, repeatAnswer, retryLater } from './event-answer.ts';
import { eventDigest } from './event-digest.ts';
import { judgeEvent } from './judge-event.ts';

export interface LifecycleOptions {
  store: Store;
  tokenClient: Pick<TokenClient, 'exchange'>;
  /** The scopes the manifest asks for. */
  requestedScopes: string[];
  /** Without these the plug-in is of no use: the event is refused. Default: all requested ones. */
  essentialScopes?: string[];
  /** Exchanges that one installation may cause in a minute. Default 20. */
  exchangesPerMinute?: number;
  /** Epoch milliseconds. */
  now?: () => number;
}

export type Lifecycle = ReturnType<typeof createLifecycle>;

/** One delivery of an event, and all that is recorded of it. */
interface Delivery<Event extends LifecycleEvent = LifecycleEvent> {
  event: Event;
  installation: Installation;
  digest: string;
  receivedAt: number;
  /** The answer that needs no more than a look; undefined when the event is to be applied. */
  judgement: EventAnswer | undefined;
}

/** Longer than an exchange takes; after it, a process that died in one has lost its claim. */
const claimMs = 20_000;
/** Less than the 30 s that the platform waits. */
const patienceMs = 20_000;
const pollMs = 100;

export function createLifecycle({
  store,
  tokenClient,
  requestedScopes,
  essentialScopes = requestedScopes,
  exchangesPerMinute = 20,
  now = Date.now,
}: LifecycleOptions) {
  const owner = randomUUID();
  const running = new Map<string, Promise<EventAnswer>>();
  const exchanges = new RateLimiterMemory({ points: exchangesPerMinute, duration: 60 });

  /**
   * Finds or begins the installation of an event. Resolves with the answer when the event was decided
   * before, or concerns nobody.
   */
  async function locate<Event extends LifecycleEvent>(
    stores: Stores,
    event: Event,
    digest: string,
    receivedAt: number,
  ): Promise<EventAnswer | Delivery<Event>> {
    const known = await stores.installations.find(keyOf(event));
    const startsLife = event.sub === 'install' || event.sub === 'access_token';
    const verdict =
      known && startsLife && (await stores.inbox.findVerdict({ installationId: known.id, digest }));
    if (verdict) return repeatAnswer(verdict);
    const judgement = judgeEvent(event, known);
    const changesNothing =
      judgement?.reason === 'after_uninstall' || judgement?.reason === 'superseded';
    const installation =
      startsLife && !changesNothing
        ? await stores.installations.begin(keyOf(event), event.iat, receivedAt)
        : known;
    if (!installation) return accepted;
    return { event, installation, digest, receivedAt, judgement };
  }

  /** Events that need nothing from the platform are decided and applied in one transaction. */
  function apply(
    event: Exclude<LifecycleEvent, AccessTokenEvent>,
    digest: string,
    receivedAt: number,
  ): Promise<EventAnswer> {
    return store.transaction(async (stores) => {
      const delivery = await locate(stores, event, digest, receivedAt);
      if (!isDelivery(delivery)) return delivery;
      const { installation, judgement } = delivery;
      const answer = judgement ?? accepted;
      const key = { installationId: installation.id, digest };
      if (!(await stores.inbox.decide(key, answer, now()))) {
        const verdict = await stores.inbox.findVerdict(key);
        return verdict ? repeatAnswer(verdict) : retryLater('in_progress');
      }
      if (!judgement) await change(stores, event, installation);
      return record(stores, delivery, answer);
    });
  }

  async function change(
    { installations }: Stores,
    event: Exclude<LifecycleEvent, AccessTokenEvent>,
    installation: Installation,
  ): Promise<void> {
    if (event.sub === 'uninstall' && event.iat >= installation.beganIat) {
      await installations.uninstall(installation, event.iat);
    }
    if (event.sub === 'instance_add') {
      await installations.addInstance(installation.id, event.instanceId);
    }
    if (event.sub === 'instance_remove') {
      await installations.removeInstance(installation.id, event.instanceId);
    }
  }

  /** Puts the delivery and its answer into the history. */
  async function record(
    { events }: Stores,
    { event, installation, receivedAt }: Delivery,
    answer: EventAnswer,
  ): Promise<EventAnswer> {
    await events.recordEvent({
      installationId: installation.id,
      event: event.sub,
      receivedAt,
      durationMs: now() - receivedAt,
      status: answer.status,
      reason: answer.reason,
    });
    return answer;
  }

  /** Ends a claim: for good, or undecided when the event may come again. */
  async function settle(
    stores: Stores,
    delivery: Delivery,
    answer: EventAnswer,
  ): Promise<EventAnswer> {
    const key = { installationId: delivery.installation.id, digest: delivery.digest };
    if (answer.retryAfterSeconds === undefined) await stores.inbox.settle(key, owner, answer);
    else await stores.inbox.release(key, owner);
    return record(stores, delivery, answer);
  }

  /**
   * Claims an access_token event. Resolves with the answer when there is nothing left to do, and with
   * undefined while another process decides it.
   */
  async function open(
    stores: Stores,
    event: AccessTokenEvent,
    digest: string,
    receivedAt: number,
  ): Promise<EventAnswer | Delivery<AccessTokenEvent> | undefined> {
    const delivery = await locate(stores, event, digest, receivedAt);
    if (!isDelivery(delivery)) return delivery;
    const key = { installationId: delivery.installation.id, digest };
    const claim = { owner, now: now(), until: now() + claimMs };
    if (!(await stores.inbox.claim(key, claim))) return undefined;
    return delivery.judgement ? settle(stores, delivery, delivery.judgement) : delivery;
  }

  /** Spec §4.1: 201 only when the tokens are stored and the essential scopes granted. */
  async function exchange(
    event: AccessTokenEvent,
    digest: string,
    receivedAt: number,
  ): Promise<EventAnswer> {
    const opened = await store.transaction((stores) => open(stores, event, digest, receivedAt));
    if (opened === undefined) return awaitVerdict(event, digest, receivedAt);
    if (!isDelivery(opened)) return opened;
    if (!(await mayExchange(opened.installation)))
      return settleNow(opened, retryLater('rate_limited'));
    const startedAt = now();
    try {
      return await commit(opened, startedAt);
    } catch (error) {
      const answer = answerFor(error);
      const reason = error instanceof TokenRequestError ? error.reason : answer.reason;
      return settleNow(opened, answer, failedExchange(opened, startedAt, now(), reason));
    }
  }

  async function commit(delivery: Delivery<AccessTokenEvent>, startedAt: number) {
    const { event, installation } = delivery;
    const { access, tokens } = await tokenClient.exchange(installation, event, requestedScopes);
    if (!essentialScopes.every((scope) => tokens.grantedScopes.includes(scope))) {
      throw new MissingScopeError();
    }
    return store.transaction(async (stores) => {
      const stored = await stores.grants.replace(installation, access, tokens, event.iat);
      const grant = stored ? await stores.grants.load(installation.id) : undefined;
      const answer = stored ? accepted : refuse('after_uninstall');
      await stores.events.recordTokenOperation({
        installationId: installation.id,
        operation: 'exchange',
        startedAt,
        durationMs: now() - startedAt,
        succeeded: stored,
        tokenVersion: grant?.tokenVersion ?? null,
        reason: answer.reason,
      });
      return settle(stores, delivery, answer);
    });
  }

  function settleNow(
    delivery: Delivery,
    answer: EventAnswer,
    operation?: TokenOperationEntry,
  ): Promise<EventAnswer> {
    return store.transaction(async (stores) => {
      if (operation) await stores.events.recordTokenOperation(operation);
      return settle(stores, delivery, answer);
    });
  }

  async function mayExchange({ id }: Installation): Promise<boolean> {
    return exchanges.consume(id).then(
      () => true,
      () => false,
    );
  }

  /** Another process decides the event; its verdict is ours, or its claim when it dies. */
  async function awaitVerdict(
    event: AccessTokenEvent,
    digest: string,
    receivedAt: number,
  ): Promise<EventAnswer> {
    await new Promise((resolve) => setTimeout(resolve, pollMs));
    if (now() - receivedAt > patienceMs) return retryLater('in_progress');
    return exchange(event, digest, receivedAt);
  }

  return {
    /**
     * Applies a verified event and says what to answer. Copies that arrive while the first is being
     * decided get its answer.
     */
    accept(event: LifecycleEvent): Promise<EventAnswer> {
      const digest = eventDigest(event);
      const key = JSON.stringify([keyOf(event), digest]);
      const first = running.get(key);
      if (first) return first;
      const decide =
        event.sub === 'access_token' ? exchange(event, digest, now()) : apply(event, digest, now());
      const answer = decide.finally(() => running.delete(key));
      running.set(key, answer);
      return answer;
    },
  };
}

class MissingScopeError extends Error {}

function answerFor(error: unknown): EventAnswer {
  if (error instanceof MissingScopeError) return refuse('scope_missing');
  if (!(error instanceof TokenRequestError)) throw error;
  const { reason, rejected } = error;
  if (reason === 'token_tenant_mismatch' || reason === 'token_response_invalid')
    return refuse(reason);
  if (reason === 'address_not_allowed') return refuse('base_url_not_allowed');
  return rejected ? refuse('exchange_rejected') : retryLater('exchange_failed');
}

function failedExchange(
  { installation }: Delivery,
  startedAt: number,
  endedAt: number,
  reason: string | null,
): TokenOperationEntry {
  return {
    installationId: installation.id,
    operation: 'exchange',
    startedAt,
    durationMs: endedAt - startedAt,
    succeeded: false,
    tokenVersion: null,
    reason,
  };
}

function isDelivery<Event extends LifecycleEvent>(
  opened: EventAnswer | Delivery<Event>,
): opened is Delivery<Event> {
  return 'installation' in opened;
}

function keyOf({ iss, tenantId, pluginId }: LifecycleEvent): InstallationKey {
  return { issuer: iss, tenantId, pluginId };
}

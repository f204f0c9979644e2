/**
 * Applies verified events to installations (Spec §3, §6). An event is decided once, by the process
 * that claims it in the inbox; its verdict is stored in the transaction that applies it. Every further
 * delivery gets the same answer and changes nothing. Why: docs/decisions/0010-reception-of-events.md.
 */
import { systemTimer, type Timer } from '@dowel/http';
import type { Store, Stores } from '@dowel/installation-store';
import {
  type ApiOriginRule,
  assertCount,
  assertTimeLimit,
  type LifecycleEvent,
} from '@dowel/schema';
import type { TokenClient } from '@dowel/token-client';
import { type AdmissionOptions, longestBeforeInstallMs } from './admit-life.ts';
import type { ChangeOptions } from './announce-changes.ts';
import { applyEvent } from './apply-event.ts';
import { type Arrival, type DeliveryFacts, keyOf } from './delivery.ts';
import { type EventAnswer, retryLater } from './event-answer.ts';
import { patienceMs } from './event-claim.ts';
import { eventDigest } from './event-digest.ts';
import { createExchangeContext, type ExchangeContext, exchangeEvent } from './exchange-event.ts';
import { installByClaim } from './install-event.ts';
import { resolveAddresses } from './resolve-addresses.ts';

export const defaultExchangesPerMinute = 20;

export interface LifecycleOptions extends ChangeOptions, AdmissionOptions {
  /** Holds the installations, the inbox and the history. */
  store: Store;
  /** Exchanges the codes of access_token events. */
  tokenClient: Pick<TokenClient<Stores>, 'acceptEvent'>;
  /**
   * Without one of these scopes the event is refused, because the plug-in cannot work. Default: all requested
   * scopes.
   */
  essentialScopes?: string[];
  /** Exchanges that one installation may cause in a minute; more are answered with 429. Default 20. */
  exchangesPerMinute?: number;
  /** Where the APIs of an issuer's tenants may be, besides at the issuer's own origin. Default: nowhere else. */
  apiOrigins?: readonly ApiOriginRule[];
  /**
   * The name that the back end gave the plug-in whose URLs receive these events, if it has several. The
   * installation keeps it. Default ''.
   */
  plugin?: string;
  /**
   * Whether two issuers are of one platform, so that its word about their tenants counts for both: if one tenant has two
   * addresses, the older one may rest (docs/decisions/0018-one-issuer.md). Default: they are not.
   */
  isSamePlatform?: (issuer: string, other: string) => boolean;
  /** Epoch milliseconds. Default `Date.now`. */
  now?: () => number;
  /** Default: the system's. Tests replace it. */
  timer?: Timer;
}

/** Longer than an exchange, and less than the 30 s that the platform waits. */
const answerWithinMs = patienceMs + 5_000;

export interface Lifecycle {
  /**
   * Applies a verified event and resolves with the answer while the platform still waits. Copies that arrive
   * in the meantime get the same answer. If the decision takes too long, the answer asks for another
   * delivery, which gets the decision.
   *
   * An access_token event whose trigger cannot be used is accepted without it: {@link resolveAddresses}.
   *
   * @param facts of this delivery, for the history. Of copies that arrive meanwhile, those of the first one are kept.
   * @throws StoreError; the event may be sent again.
   */
  accept(event: LifecycleEvent, facts?: DeliveryFacts): Promise<EventAnswer>;

  /** Resolves when no event is being decided. */
  drain(): Promise<void>;
}

interface LifecycleContext extends ExchangeContext {
  /** The events that are being decided, by installation and digest. */
  running: Map<string, Promise<EventAnswer>>;
}

/**
 * Creates the reception of events: one per process and store. It verifies nothing, so give it only events
 * that `@dowel/platform-jwt` has verified (Spec §3, §4.1).
 *
 * @example
 * const lifecycle = createLifecycle({ store, tokenClient, requestedScopes: ['plugin:notify'] });
 * const { status, body, reason } = await lifecycle.accept(event);
 *
 * @throws TypeError for `exchangesPerMinute` that is not a whole number of at least 1, and for
 * `beforeInstallMs` that is not a whole number from 1 to 10,000.
 */
export function createLifecycle(options: LifecycleOptions): Lifecycle {
  const context = createContext(options);
  return {
    accept: (event, facts = {}) => acceptInTime(context, event, facts),
    drain: () => drain(context),
  };
}

function createContext(options: LifecycleOptions): LifecycleContext {
  const {
    requestedScopes,
    essentialScopes = requestedScopes,
    exchangesPerMinute = defaultExchangesPerMinute,
  } = options;
  const { store, tokenClient, now = Date.now, timer = systemTimer } = options;
  const { applied, usableAt, plugin = '', beforeInstall, beforeInstallMs = 5_000 } = options;
  const { apiOrigins = [] } = options;
  assertCount(exchangesPerMinute, 'exchangesPerMinute');
  assertTimeLimit(beforeInstallMs, 'beforeInstallMs', longestBeforeInstallMs);
  const exchange = createExchangeContext({
    applied,
    usableAt,
    plugin,
    apiOrigins,
    beforeInstall,
    beforeInstallMs,
    store,
    tokenClient,
    requestedScopes,
    essentialScopes,
    exchangesPerMinute,
    isSamePlatform: options.isSamePlatform ?? (() => false),
    now,
    timer,
  });
  return { ...exchange, running: new Map() };
}

function acceptInTime(
  context: LifecycleContext,
  event: LifecycleEvent,
  facts: DeliveryFacts,
): Promise<EventAnswer> {
  const { running } = context;
  const digest = eventDigest(event);
  const key = JSON.stringify([keyOf(event), digest]);
  const first = running.get(key);
  if (first)
    return inTime(
      context,
      first.then((answer) => ({ ...answer, isRepeat: true })),
    );
  const answer = decide(context, { event, digest, ...facts }).finally(() => running.delete(key));
  running.set(key, answer);
  return inTime(context, answer);
}

function decide(
  context: LifecycleContext,
  { event, ...arrived }: Omit<Arrival, 'receivedAt'>,
): Promise<EventAnswer> {
  const received = { ...arrived, receivedAt: context.now() };
  if (event.sub === 'access_token') {
    const { event: settled } = resolveAddresses(event, context);
    return exchangeEvent(context, { event: settled, ...received });
  }
  const isAsked = event.sub === 'install' && context.beforeInstall !== undefined;
  if (isAsked) return installByClaim(context, { event, ...received });
  return applyEvent(context, { event, ...received });
}

function inTime({ timer }: LifecycleContext, answer: Promise<EventAnswer>): Promise<EventAnswer> {
  return new Promise((resolve, reject) => {
    const cancel = timer.after(answerWithinMs, () => resolve(retryLater('in_progress')));
    answer.finally(cancel).then(resolve, reject);
  });
}

async function drain({ running }: LifecycleContext): Promise<void> {
  await Promise.allSettled(running.values());
}

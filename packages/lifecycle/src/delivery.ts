/** One delivery of an event: its installation, and the record of its answer. */
import type {
  Beginning,
  BegunInstallation,
  Installation,
  InstallationKey,
  Stores,
} from '@dowel/installation-store';
import type {
  EventDetail,
  InstanceAddEvent,
  InstanceRemoveEvent,
  LifecycleEvent,
  Refusal,
  UnknownMember,
} from '@dowel/schema';
import { codeDigestOf } from '@dowel/token-client';
import { type CheckContext, checkEvent, isOfEndedLife } from './check-event.ts';
import { type EventAnswer, refuse, repeatAnswer, retryLater } from './event-answer.ts';

/** What the receiver knows about a delivery, for the history. */
export interface DeliveryFacts {
  /** Names the request in the log. */
  requestId?: string;
  /** The members of the event that its schema does not know. */
  unknown?: readonly UnknownMember[];
}

export interface Delivery<Event extends LifecycleEvent = LifecycleEvent> extends DeliveryFacts {
  event: Event;
  installation: Installation;
  digest: string;
  /** Epoch milliseconds. */
  receivedAt: number;
  /** The answer when nothing has to be done; undefined when the event must be applied. */
  refusal: EventAnswer | undefined;
  /** This delivery began a life over a tombstone. */
  isRevival: boolean;
}

/** An event as it arrives, before its installation is looked up. */
export type Arrival<Event extends LifecycleEvent = LifecycleEvent> = Pick<
  Delivery<Event>,
  'event' | 'digest' | 'receivedAt' | keyof DeliveryFacts
>;

/** The values with which a new life begins. */
export type NewLife = Required<Pick<Beginning, 'plugin' | 'awaitsAdmission'>>;

/**
 * Finds or begins the installation of an event. Resolves with the answer when the event was decided before,
 * belongs to a life that has ended, or concerns an installation that is not known yet.
 */
export async function locate<Event extends LifecycleEvent>(
  context: CheckContext,
  stores: Stores,
  { arrival, life }: { arrival: Arrival<Event>; life: NewLife },
): Promise<EventAnswer | Delivery<Event>> {
  const { installations, inbox } = stores;
  const { event, digest } = arrival;
  const known = await installations.find(keyOf(event));
  if (known && isOfAnother(known, life)) return refuse('plugin_mismatch');
  // The tombstone is checked before the verdict: an event that an ended life accepted is refused now.
  if (known && isOfEndedLife(event, known)) return refuseEnded(stores, arrival, known);
  const verdict =
    known &&
    !isDecidedByItsInsert(event, known) &&
    (await inbox.findVerdict({ installationId: known.id, digest }));
  if (verdict) return repeatAnswer(verdict);
  const begun = await beginLife(stores, arrival, { known, life });
  if (!begun) return retryLater('not_installed');
  const { isRevival, ...installation } = begun;
  if (isOfAnother(installation, life)) return refuse('plugin_mismatch');
  // Checked again: another process may have begun or ended the life in between.
  if (isOfEndedLife(event, installation) || needsLife(event, installation)) {
    return refuseEnded(stores, arrival, installation);
  }
  // The platform still uses this address.
  if (installation.hasMoved) await installations.endMove(installation.id);
  const refusal = checkEvent(context, event, installation);
  return { ...arrival, installation, isRevival, refusal };
}

/** An uninstall that came before any life names no plug-in: generation 0. */
function isOfAnother({ plugin, generation }: Installation, life: NewLife): boolean {
  return plugin !== life.plugin && generation > 0;
}

/**
 * True for an instance event of a life that continues. It changes nothing before its insert into the inbox, and
 * the insert shows whether it was decided before. So no earlier read is needed.
 */
function isDecidedByItsInsert({ sub }: LifecycleEvent, { status }: Installation): boolean {
  return sub.startsWith('instance_') && status !== 'uninstalled';
}

/**
 * Undefined: an event of an instance whose installation is not known yet. An access_token event begins a
 * life only if there is none, because a manifest may name no lifecycle. An uninstall of an unknown
 * installation leaves a tombstone.
 */
async function beginLife(
  { installations }: Stores,
  { event, digest, receivedAt }: Arrival,
  { known, life }: { known: Installation | undefined; life: NewLife },
): Promise<BegunInstallation | undefined> {
  const { sub, iat } = event;
  const isLive = known !== undefined && known.status !== 'uninstalled';
  if (sub === 'install' || (sub === 'access_token' && !isLive)) {
    const code = sub === 'access_token' ? digest : undefined;
    return installations.begin(keyOf(event), iat, receivedAt, { ...life, code });
  }
  const concerned =
    known ?? (sub === 'uninstall' ? await installations.uninstall(keyOf(event), iat) : undefined);
  return concerned && { ...concerned, isRevival: false };
}

/**
 * True when the life has ended and the event began no other. An instance event that was signed after the
 * end belongs to the next life, whose install is late.
 */
function needsLife(event: LifecycleEvent, { status, endedIat }: Installation): boolean {
  if (status !== 'uninstalled' || event.sub === 'uninstall') return false;
  return !event.sub.startsWith('instance_') || event.iat <= (endedIat ?? 0);
}

/** A code that is refused here stays refused, also when it is signed again, and proves no life. */
async function refuseEnded(
  stores: Stores,
  arrival: Arrival,
  installation: Installation,
): Promise<EventAnswer> {
  const { event, digest, receivedAt } = arrival;
  const answer = refuse('after_uninstall');
  if (event.sub === 'access_token') {
    const key = { installationId: installation.id, digest };
    const isDecided = await stores.inbox.decide(key, answer, receivedAt, event.iat);
    if (isDecided) {
      await stores.renewals.endExchange(installation.id, codeDigestOf(event), 'over');
      await stores.installations.giveUp(installation, digest);
    }
  }
  const delivery = { ...arrival, installation, isRevival: false, refusal: answer };
  return record(stores, delivery, answer, receivedAt);
}

/** Puts the delivery and its answer into the history. */
export async function record(
  { events }: Stores,
  delivery: Delivery,
  answer: EventAnswer,
  endedAt: number,
): Promise<EventAnswer> {
  const { event, installation, receivedAt } = delivery;
  await events.recordEvent({
    installationId: installation.id,
    event: event.sub,
    receivedAt,
    durationMs: endedAt - receivedAt,
    status: answer.status,
    reason: answer.reason,
    // A refused event of an ended life is not an error of the current life.
    generation: answer.reason === 'after_uninstall' ? null : installation.generation,
    detail: describeDelivery(delivery, answer),
  });
  return answer;
}

/** Takes only the claims named here, because others may contain secrets. */
function describeDelivery(
  { event, requestId, unknown = [] }: Delivery,
  { body }: EventAnswer,
): EventDetail {
  const { iat, exp, jti } = event;
  return {
    ...(requestId !== undefined && { requestId }),
    claims: {
      iat,
      exp,
      ...(jti !== undefined && { jti }),
      ...(isOfInstance(event) && { instanceId: event.instanceId }),
      ...(event.sub === 'access_token' && describeBaseUrl(event.base_url)),
    },
    ...(isRefusal(body) && { answer: body }),
    ...(unknown.length > 0 && { unknown: [...unknown] }),
  };
}

/** A refused event may name a user name, a password or a query, which may be secrets. */
function describeBaseUrl(text: string): { base_url?: string } {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) ? { base_url: `${url.origin}${url.pathname}` } : {};
}

function isRefusal(body: EventAnswer['body']): body is Refusal {
  return 'code' in body;
}

function isOfInstance(event: LifecycleEvent): event is InstanceAddEvent | InstanceRemoveEvent {
  return event.sub === 'instance_add' || event.sub === 'instance_remove';
}

export function isDelivery<Event extends LifecycleEvent>(
  located: EventAnswer | Delivery<Event>,
): located is Delivery<Event> {
  return 'installation' in located;
}

export function keyOf({ iss, tenantId, pluginId }: LifecycleEvent): InstallationKey {
  return { issuer: iss, tenantId, pluginId };
}

/** One delivery of an event: which installation it concerns, and how its verdict is stored. */
import type { Installation, InstallationKey, Stores } from '@dowel/installation-store';
import type { LifecycleEvent } from '@dowel/schema';
import { accepted, type EventAnswer, repeatAnswer } from './event-answer.ts';
import { judgeEvent } from './judge-event.ts';

export interface Delivery<Event extends LifecycleEvent = LifecycleEvent> {
  event: Event;
  installation: Installation;
  digest: string;
  /** Epoch milliseconds. */
  receivedAt: number;
  /** The answer that needs no more than a look; undefined when the event is to be applied. */
  judgement: EventAnswer | undefined;
}

/** An event as it arrives, before anybody looked whom it concerns. */
export type Arrival<Event extends LifecycleEvent = LifecycleEvent> = Pick<
  Delivery<Event>,
  'event' | 'digest' | 'receivedAt'
>;

/**
 * Finds or begins the installation of an event. Resolves with the answer when the event was decided
 * before, or concerns nobody.
 */
export async function locate<Event extends LifecycleEvent>(
  stores: Stores,
  arrival: Arrival<Event>,
): Promise<EventAnswer | Delivery<Event>> {
  const { installations, inbox } = stores;
  const { event, digest, receivedAt } = arrival;
  const known = await installations.find(keyOf(event));
  const judgement = judgeEvent(event, known);
  // The tombstone comes before the memory: what was accepted in an ended life is not accepted again.
  if (known && judgement?.reason === 'after_uninstall') {
    return record(stores, { ...arrival, installation: known, judgement }, judgement, receivedAt);
  }
  const verdict = known && (await inbox.findVerdict({ installationId: known.id, digest }));
  if (verdict) return repeatAnswer(verdict);
  const installation = beginsLife(event, known)
    ? await installations.begin(keyOf(event), event.iat, receivedAt)
    : known;
  return installation ? { ...arrival, installation, judgement } : accepted;
}

/** An access_token event begins a life only where there is none: a manifest may name no lifecycle. */
function beginsLife({ sub }: LifecycleEvent, known: Installation | undefined): boolean {
  const isLive = known !== undefined && known.status !== 'uninstalled';
  return sub === 'install' || (sub === 'access_token' && !isLive);
}

/** Puts the delivery and its answer into the history. */
export async function record(
  { events }: Stores,
  { event, installation, receivedAt }: Delivery,
  answer: EventAnswer,
  endedAt: number,
): Promise<EventAnswer> {
  await events.recordEvent({
    installationId: installation.id,
    event: event.sub,
    receivedAt,
    durationMs: endedAt - receivedAt,
    status: answer.status,
    reason: answer.reason,
  });
  return answer;
}

export function isDelivery<Event extends LifecycleEvent>(
  located: EventAnswer | Delivery<Event>,
): located is Delivery<Event> {
  return 'installation' in located;
}

export function keyOf({ iss, tenantId, pluginId }: LifecycleEvent): InstallationKey {
  return { issuer: iss, tenantId, pluginId };
}

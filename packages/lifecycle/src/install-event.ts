/**
 * Decides the install events of a plug-in with `beforeInstall`. The event is claimed, so that copies wait for
 * the answer of the plug-in.
 */
import type { InstallEvent } from '@dowel/schema';
import { announceInstall, type ChangeOptions } from './announce-changes.ts';
import type { Arrival } from './delivery.ts';
import { accepted, type EventAnswer, refuse } from './event-answer.ts';
import { type ClaimContext, type Claimed, decideByClaim, storeAnswer } from './event-claim.ts';

export function installByClaim(
  context: ClaimContext & ChangeOptions,
  arrival: Arrival<InstallEvent>,
): Promise<EventAnswer> {
  return decideByClaim(context, arrival, (claimed) => applyInstall(context, claimed));
}

/** Undefined: another process has decided the event. */
function applyInstall(
  context: ClaimContext & ChangeOptions,
  delivery: Claimed<InstallEvent>,
): Promise<EventAnswer | undefined> {
  const { store } = context;
  const { id, generation } = delivery.installation;
  return store.transaction(async (stores) => {
    const current = await stores.installations.get(id);
    const isOver = current?.status === 'uninstalled' || current?.generation !== generation;
    const answer = isOver ? refuse('after_uninstall') : accepted;
    const settled = await storeAnswer(context, stores, { delivery, answer });
    if (!settled || isOver) return settled;
    await stores.usability.admit(id, generation);
    await announceInstall(context, stores, delivery.installation);
    return settled;
  });
}

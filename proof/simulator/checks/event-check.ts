/** Checks every answer to an event: a 201 means that the tokens are stored, or that the generation has ended. */
import type { EventAnswer } from '@dowel/lifecycle';
import type { LifecycleEventName } from '@dowel/schema';
import type { Simulation } from '../simulation.ts';
import type { Tenant } from '../tenant.ts';
import type { StoredState } from './stored-state.ts';

interface AnsweredEvent {
  tenant: Tenant;
  name: LifecycleEventName;
  code: string | undefined;
  iat: number;
  answer: EventAnswer;
}

interface Context {
  simulation: Simulation;
  state: StoredState;
}

export function checkAnswer(context: Context, event: AnsweredEvent): void {
  countAnswer(context, event.answer);
  if (event.answer.status !== 201) return;
  if (event.code !== undefined) checkStored(context, event.tenant, event.code);
  if (event.name === 'uninstall') checkEnded(context, event);
}

/** Checks that the tokens of this event, or of a later one, are stored. */
function checkStored({ simulation, state }: Context, tenant: Tenant, code: string): void {
  if (state.isStored(code)) return;
  const first = tenant.iatOf(code)?.first ?? Number.POSITIVE_INFINITY;
  if (!state.isStoredSince(tenant, first)) {
    simulation.violate('no 201 without stored tokens', code);
  }
}

function checkEnded({ simulation, state }: Context, { tenant, iat }: AnsweredEvent): void {
  if (state.isUnseen(tenant)) simulation.count('uninstalled before it was known');
  if (state.isOver(tenant, iat)) return;
  simulation.violate('an accepted uninstall ends the life', tenant.name);
}

function countAnswer({ simulation: { count } }: Context, { status, reason }: EventAnswer): void {
  if (status === 201 && reason === 'superseded') count('event: superseded');
  if (reason === 'after_uninstall') count('event: after uninstall');
  if (reason === 'exchange_failed') count('event: exchange failed in passing');
  if (reason === 'exchange_rejected') count('event: exchange refused');
  if (reason === 'in_progress') count('event: joined another process');
}

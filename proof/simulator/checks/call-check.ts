/** The requests of one call: sent again only after a 401, once with each token, and at most four times. */
import type { Exchange, NetworkRequest } from '../network.ts';
import type { SimulatedProcess } from '../simulated-process.ts';
import type { Simulation } from '../simulation.ts';
import type { Situation } from '../situations.ts';
import type { Presentations } from './presentations.ts';

/** One request of a call. */
interface Attempt {
  accessToken: string;
  status: number | undefined;
  endedAt: number;
}

export interface CallContext {
  simulation: Simulation;
  presentations: Presentations;
  /** Attempts by the name of the call. */
  calls: Map<string, Attempt[]>;
}

/** One attempt each with the cached token, a stored one, a refreshed one, and one that is not in doubt. */
const maxAttempts = 4;

/** Names the call that a request to the API belongs to. */
export const callHeader = 'x-simulated-call';

/** Situations by the number of requests that a call has sent before. */
const repetitions: Record<number, Situation> = {
  1: 'call: 401 and a second try',
  2: 'call: second 401 and a third try',
  3: 'call: third 401 and a fourth try',
};

export function checkCall(
  context: CallContext,
  process: SimulatedProcess,
  { headers }: NetworkRequest,
): Exchange {
  const { scheduler, count } = context.simulation;
  const name = headers.get(callHeader) ?? '';
  const accessToken = headers.get('authorization')?.replace('Bearer ', '') ?? '';
  const before = context.calls.get(name) ?? [];
  const attempt: Attempt = { accessToken, status: undefined, endedAt: scheduler.now() };
  context.calls.set(name, [...before, attempt]);
  const situation = repetitions[before.length];
  if (situation) count(situation);
  checkRepetition(context, { process, name, accessToken, before });
  return {
    ended(answer) {
      attempt.status = typeof answer === 'object' ? answer.status : undefined;
      attempt.endedAt = scheduler.now();
    },
  };
}

interface Repetition {
  process: SimulatedProcess;
  name: string;
  accessToken: string;
  before: readonly Attempt[];
}

function checkRepetition(context: CallContext, repetition: Repetition): void {
  const { violate } = context.simulation;
  const { process, name, accessToken, before } = repetition;
  if (before.length > 0 && before.at(-1)?.status !== 401) {
    violate('a call is sent again only after a 401', name);
  }
  if (before.some((earlier) => earlier.accessToken === accessToken)) {
    violate('a call is sent once with each token', name);
  }
  if (before.length >= maxAttempts || wasRefusedFresh(context, process, before)) {
    violate('a call is sent no more after the 401 of a fresh token', name);
  }
}

/** Whether one of its tokens came from a refresh after the previous 401, and is not in doubt. */
function wasRefusedFresh(
  { presentations }: CallContext,
  process: SimulatedProcess,
  attempts: readonly Attempt[],
): boolean {
  return attempts.some(({ accessToken }, index) => {
    const refusedAt = attempts[index - 1]?.endedAt;
    const refreshedAt = presentations.refreshedAt(process, accessToken);
    return refusedAt !== undefined && refreshedAt !== undefined && refreshedAt > refusedAt;
  });
}

/** The caller got the 401 of this call's last request. */
export function checkRefusal({ simulation, presentations, calls }: CallContext, name: string) {
  const attempts = calls.get(name) ?? [];
  const last = attempts.at(-1);
  if (!last || attempts.length >= maxAttempts) return;
  if (presentations.isInDoubt(last.accessToken)) {
    simulation.violate('a 401 of tokens in doubt is not the caller’s', last.accessToken);
  }
}

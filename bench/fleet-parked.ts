/** Callers that wait for tenants whose tokens are dead, and calls of tenants whose tokens live. */
import { startFleet } from './fleet-world.ts';

export interface Parked {
  /** How many still waited when the calls of the others had ended. */
  waiting: number;
  calls: number;
  succeeded: number;
  maxMs: number;
}

const healthy = 20;
const callsEach = 20;
/** One tenant may not fill all places. */
const dead = 4;

export async function measureParked(): Promise<Parked[]> {
  const results: Parked[] = [];
  for (const waitingEach of [0, 5_000]) results.push(await measureBeside(waitingEach));
  return results;
}

async function measureBeside(waitingEach: number): Promise<Parked> {
  const fleet = await startFleet();
  const living = await fleet.install(healthy, { isExpired: false });
  const behaviour = { isDead: true };
  const revoked = await fleet.install(dead, { isExpired: true, behaviour });
  await fleet.revoke(revoked);
  const idsOf = (tenants: typeof living) => tenants.map(({ id }) => id as string);
  await fleet.first.ask('begin', idsOf(revoked), waitingEach);
  let succeeded = 0;
  let maxMs = 0;
  for (const id of idsOf(living)) {
    const burst = await fleet.first.ask('burst', id, callsEach);
    succeeded += burst.succeeded;
    maxMs = Math.max(maxMs, burst.maxMs);
  }
  const waiting = await fleet.first.ask('countWaiting');
  await fleet.close();
  return { waiting, calls: healthy * callsEach, succeeded, maxMs };
}

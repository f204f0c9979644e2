/** Callers that wait for one tenant whose tokens are dead, and calls of tenants whose tokens live. */
import { startFleet } from './fleet-world.ts';

export interface Parked {
  waiting: number;
  calls: number;
  succeeded: number;
  maxMs: number;
}

const healthy = 20;
const callsEach = 20;

export async function measureParked(): Promise<Parked[]> {
  const results: Parked[] = [];
  for (const waiting of [0, 20_000]) results.push(await measureBeside(waiting));
  return results;
}

async function measureBeside(waiting: number): Promise<Parked> {
  const fleet = await startFleet();
  const living = await fleet.install(healthy, { isExpired: false });
  const dead = await fleet.install(1, { isExpired: true, behaviour: { isDead: true } });
  await fleet.revoke(dead);
  const idsOf = (tenants: typeof living) => tenants.map(({ id }) => id as string);
  await fleet.first.ask('begin', idsOf(dead), waiting);
  let succeeded = 0;
  let maxMs = 0;
  for (const id of idsOf(living)) {
    const burst = await fleet.first.ask('burst', id, callsEach);
    succeeded += burst.succeeded;
    maxMs = Math.max(maxMs, burst.maxMs);
  }
  await fleet.close();
  return { waiting, calls: healthy * callsEach, succeeded, maxMs };
}

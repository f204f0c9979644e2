/** Tenants of one origin that never get an answer, and one that does. */
import { startFleet } from './fleet-world.ts';

export interface Neighbours {
  hanging: number;
  calls: number;
  succeeded: number;
  maxMs: number;
}

const calls = 20;
const callsThatHang = 40;

export async function measureNeighbours(): Promise<Neighbours[]> {
  const results: Neighbours[] = [];
  for (const hanging of [0, 1, 4, 8, 40, 60]) results.push(await measureBeside(hanging));
  return results;
}

async function measureBeside(hanging: number): Promise<Neighbours> {
  const fleet = await startFleet();
  const [living] = await fleet.install(1, { isExpired: false });
  const behaviour = { isHanging: true };
  const tenants = await fleet.install(hanging, { isExpired: false, behaviour });
  await fleet.first.ask(
    'begin',
    tenants.map(({ id }) => id as string),
    callsThatHang,
  );
  const burst = await fleet.first.ask('burst', living?.id as string, calls);
  await fleet.close();
  return { hanging, calls, ...burst };
}

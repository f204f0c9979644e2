/** One history: a seed, a storm of faults, and what became of the promises. */
import type { GuardedFetch } from '@dowel/http';
import type { Store } from '@dowel/installation-store';
import type { TokenClient, TokenPolicy } from '@dowel/token-client';
import { watchAftermath } from './aftermath.ts';
import { createCallers } from './callers.ts';
import { createAccessCheck } from './checks/access-check.ts';
import { createStoredState } from './checks/stored-state.ts';
import { calm, drawClimate } from './climate.ts';
import type { SimulatedDatabase } from './database.ts';
import { createDatabaseLink } from './database-link.ts';
import { createEvents, type Events } from './events.ts';
import { crowdSize } from './places.ts';
import { createPlatform } from './platform.ts';
import { createProcesses } from './processes.ts';
import { createRandom } from './random.ts';
import { createScheduler } from './scheduler.ts';
import { epochMs, type Simulation, secretMark } from './simulation.ts';
import { type Counts, noCounts } from './situations.ts';
import { planStorm } from './storm.ts';
import { createTenant, type Tenant } from './tenant.ts';

/** A fault in the product, put around it from outside. */
export interface Mutation {
  store?: (store: Store) => Store;
  policy?: Partial<TokenPolicy>;
  /** The promise that it breaks. Left out: any may be the first. */
  breaks?: string;
  callFetch?: (callFetch: GuardedFetch) => GuardedFetch;
  /** @param store of the same process. */
  client?: (client: TokenClient, store: Store) => TokenClient;
}

export interface History {
  seed: number;
  counts: Counts;
  /** One line for each thing that happened. */
  trace: string[];
  /** The first promise that was broken. */
  violation: { rule: string; detail: string } | undefined;
}

/** Long enough to install the plug-in. */
const calmBeforeMs = 2_000;
const neighbourNames = 'CDEFGHIJKLMNOP'.split('');

export async function runHistory(
  seed: number,
  database: SimulatedDatabase,
  mutation: Mutation = {},
): Promise<History> {
  const random = createRandom(seed);
  const counts = noCounts();
  const trace: string[] = [];
  const storm = drawClimate(random);
  let climate = calm(storm);
  let violation: History['violation'];
  const isOver = () => violation !== undefined;
  const scheduler = createScheduler(random, storm.ties);
  const databaseClock = { offsetMs: 0, steppedAt: Number.NEGATIVE_INFINITY };
  const simulation: Simulation = {
    random,
    scheduler,
    climate: () => climate,
    now: () => epochMs + scheduler.now(),
    databaseClock,
    log: (who, what) => {
      trace.push(`${(scheduler.now() / 1000).toFixed(3).padStart(9)} ${who.padEnd(8)} ${what}`);
    },
    count: (situation) => {
      counts[situation] += 1;
    },
    violate: (rule, detail) => {
      violation ??= { rule, detail };
      simulation.log('!!!', `${rule}: ${detail}`);
    },
  };
  database.clear();
  database.clock = () => Math.floor(simulation.now() + databaseClock.offsetMs);
  const tenants = ['A', 'B'].slice(0, storm.tenants).map(tenantOfOwnOrigin);
  const neighbours = neighbourNames.slice(0, storm.neighbours).map(neighbourOf(tenants));
  const all = [...tenants, ...neighbours];
  const state = createStoredState(simulation, database, all);
  const check = createAccessCheck(simulation, state, all);
  const store = mutation.store?.(database.store) ?? database.store;
  const link = createDatabaseLink(simulation, store, check);
  let events: Events | undefined;
  const platform = createPlatform(simulation, all, {
    check,
    onTrigger: (tenant) => events?.triggered(tenant),
  });
  const processes = createProcesses(simulation, {
    host: platform.host,
    link,
    check,
    mutation,
  });
  events = createEvents(simulation, processes, state);
  const callers = createCallers(simulation, state, check);
  const surroundings = {
    database,
    check,
    state,
    tenants,
    neighbours,
    processes,
    platform,
    events,
    callers,
    link,
  };

  const reject = (reason: unknown) => {
    simulation.violate('every rejection is handled', String((reason as Error).stack ?? reason));
  };
  process.on('unhandledRejection', reject);

  simulation.log('—', JSON.stringify(storm));
  processes.startAll(storm.processes);
  if (storm.installedBefore) tenants.forEach(events.install);
  neighbours.forEach(events.install);
  await scheduler.runUntil(calmBeforeMs, isOver);
  climate = storm;
  planStorm(simulation, surroundings);
  await scheduler.runUntil(calmBeforeMs + storm.stormMs, isOver);
  climate = calm(storm);
  // All of a crowd that call at once have more calls than there are places.
  const healing = neighbours.length < crowdSize ? all : tenants;
  if (!isOver()) await watchAftermath({ ...surroundings, tenants: healing, simulation, isOver });
  if (database.readPlain().includes(secretMark)) {
    simulation.violate('secrets are stored in sealed columns only', '');
  }
  processes.stopAll();
  link.close();
  process.off('unhandledRejection', reject);
  return { seed, counts, trace, violation };
}

function tenantOfOwnOrigin(name: string, number: number): Tenant {
  return createTenant(name, number, `https://${name.toLowerCase()}.example.com`);
}

/** On the origin of the first of these tenants. */
function neighbourOf(tenants: readonly Tenant[]) {
  const origin = tenants[0]?.origin ?? '';
  return (name: string, number: number) => createTenant(name, tenants.length + number, origin);
}

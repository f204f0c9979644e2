/** Runs one history: a seed, a storm of faults, and the checks of the promises. */
import type { GuardedFetch } from '@dowel/http';
import type { Store } from '@dowel/installation-store';
import type { TokenClient, TokenPolicy } from '@dowel/token-client';
import { watchAftermath } from './aftermath.ts';
import { createCallers } from './callers.ts';
import { createAccessCheck } from './checks/access-check.ts';
import { createStoredState } from './checks/stored-state.ts';
import { type Climate, calm, drawClimate } from './climate.ts';
import type { SimulatedDatabase } from './database.ts';
import { createDatabaseLink } from './database-link.ts';
import { createEvents, type Events } from './events.ts';
import { crowdSize } from './places.ts';
import { createPlatform } from './platform.ts';
import { createProcesses } from './processes.ts';
import { createRandom, type Random } from './random.ts';
import { createScheduler, type Scheduler } from './scheduler.ts';
import { epochMs, type Simulation, secretMark } from './simulation.ts';
import { type Counts, noCounts } from './situations.ts';
import { planStorm, type Surroundings } from './storm.ts';
import { createTenant, type Tenant } from './tenant.ts';

/** A fault that is added to the product from outside. */
export interface Mutation {
  store?: (store: Store) => Store;
  policy?: Partial<TokenPolicy>;
  /** The promise that it breaks first. Default: any. */
  breaks?: string;
  callFetch?: (callFetch: GuardedFetch) => GuardedFetch;
  /** @param store of the same process. */
  client?: (client: TokenClient, store: Store) => TokenClient;
}

export interface History {
  seed: number;
  counts: Counts;
  /** One line for each step. */
  trace: string[];
  /** The first promise that was broken. */
  violation: { rule: string; detail: string } | undefined;
}

/** Long enough to install the plug-in. */
const calmBeforeMs = 2_000;
const neighbourNames = 'CDEFGHIJKLMNOP'.split('');

/** The climate of the present moment: calm, then the storm, then calm again. */
interface Weather {
  now: Climate;
}

export async function runHistory(
  seed: number,
  database: SimulatedDatabase,
  mutation: Mutation = {},
): Promise<History> {
  const random = createRandom(seed);
  const storm = drawClimate(random);
  const weather: Weather = { now: calm(storm) };
  const history: History = { seed, counts: noCounts(), trace: [], violation: undefined };
  const scheduler = createScheduler(random, storm.ties);
  const simulation = createSimulation(history, { random, scheduler, weather });
  const { databaseClock } = simulation;
  database.clear();
  database.clock = () => Math.floor(simulation.now() + databaseClock.offsetMs);
  const surroundings = createSurroundings(simulation, { database, mutation, storm });

  const reject = (reason: unknown) => {
    simulation.violate('every rejection is handled', String((reason as Error).stack ?? reason));
  };
  process.on('unhandledRejection', reject);

  simulation.log('—', JSON.stringify(storm));
  await runStorm(simulation, surroundings, {
    storm,
    weather,
    isOver: () => history.violation !== undefined,
  });
  if (database.readPlain().includes(secretMark)) {
    simulation.violate('secrets are stored in sealed columns only', '');
  }
  surroundings.processes.stopAll();
  surroundings.link.close();
  process.off('unhandledRejection', reject);
  return history;
}

function createSimulation(
  history: History,
  { random, scheduler, weather }: { random: Random; scheduler: Scheduler; weather: Weather },
): Simulation {
  const { counts, trace } = history;
  const log = (who: string, what: string) => {
    trace.push(`${(scheduler.now() / 1000).toFixed(3).padStart(9)} ${who.padEnd(8)} ${what}`);
  };
  return {
    random,
    scheduler,
    climate: () => weather.now,
    now: () => epochMs + scheduler.now(),
    databaseClock: { offsetMs: 0, steppedAt: Number.NEGATIVE_INFINITY, wasSetBack: false },
    log,
    count: (situation) => {
      counts[situation] += 1;
    },
    violate: (rule, detail) => {
      history.violation ??= { rule, detail };
      log('!!!', `${rule}: ${detail}`);
    },
  };
}

function createSurroundings(
  simulation: Simulation,
  {
    database,
    mutation,
    storm,
  }: { database: SimulatedDatabase; mutation: Mutation; storm: Climate },
): Surroundings {
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
  const { host } = platform;
  const processes = createProcesses(simulation, { host, link, check, mutation });
  events = createEvents(simulation, processes, state);
  const callers = createCallers(simulation, state, check);
  const parts = { processes, platform, events, callers, link };
  return { database, check, state, tenants, neighbours, ...parts };
}

/** Installs the plug-in, plays the storm, and watches that everything recovers. */
async function runStorm(
  simulation: Simulation,
  surroundings: Surroundings,
  { storm, weather, isOver }: { storm: Climate; weather: Weather; isOver: () => boolean },
): Promise<void> {
  const { scheduler } = simulation;
  const { processes, events, tenants, neighbours } = surroundings;
  processes.startAll(storm.processes);
  if (storm.installedBefore) tenants.forEach(events.install);
  neighbours.forEach(events.install);
  await scheduler.runUntil(calmBeforeMs, isOver);
  weather.now = storm;
  planStorm(simulation, surroundings);
  await scheduler.runUntil(calmBeforeMs + storm.stormMs, isOver);
  weather.now = calm(storm);
  // A crowd that calls at once has more calls than there are places.
  const healing = neighbours.length < crowdSize ? [...tenants, ...neighbours] : tenants;
  if (!isOver()) await watchAftermath({ ...surroundings, tenants: healing, simulation, isOver });
}

function tenantOfOwnOrigin(name: string, number: number): Tenant {
  return createTenant(name, number, `https://${name.toLowerCase()}.example.com`);
}

/** On the origin of the first of these tenants. */
function neighbourOf(tenants: readonly Tenant[]) {
  const origin = tenants[0]?.origin ?? '';
  return (name: string, number: number) => createTenant(name, tenants.length + number, origin);
}

/** The storm: actions of the outside world on the processes, each at a random moment. */
import type { Callers } from './callers.ts';
import type { AccessCheck } from './checks/access-check.ts';
import type { StoredState } from './checks/stored-state.ts';
import type { SealedColumn, SimulatedDatabase } from './database.ts';
import type { DatabaseLink } from './database-link.ts';
import type { Events } from './events.ts';
import type { Fate } from './network.ts';
import { crowdSize } from './places.ts';
import type { Part, Platform } from './platform.ts';
import type { Processes, Running } from './processes.ts';
import type { Simulation } from './simulation.ts';
import type { Tenant } from './tenant.ts';

export interface Surroundings {
  database: SimulatedDatabase;
  check: AccessCheck;
  state: StoredState;
  tenants: readonly Tenant[];
  /** Tenants on the origin of the first tenant. */
  neighbours: readonly Tenant[];
  processes: Processes;
  platform: Platform;
  events: Events;
  callers: Callers;
  link: DatabaseLink;
}

const parts: Part[] = ['token endpoint', 'token endpoint', 'trigger', 'API'];
const fates: Fate[] = ['refused', 'hangs', 'lost', 'late', 'passing'];
const columns: SealedColumn[] = [
  'access_token_sealed',
  'refresh_token_sealed',
  'client_secret_sealed',
];
/** The steps by which a clock is set forward or back. */
const stepsMs = [-3_600_000, -2_000, 2_000, 60_000, 3_600_000];

const crowdedMs = 10_000;
/** More than the places that one tenant has. */
const callsOfNeighbour = 8;
/** Some of these calls are left at once. The others of two neighbours need more connections than there are. */
const longCallsOfNeighbour = 20;

interface Storm extends Surroundings {
  simulation: Simulation;
}

/** Actions with their weights, which decide how often each is chosen. */
const actions: readonly [weight: number, action: (storm: Storm) => void][] = [
  [6, callOften],
  [3, callEverywhere],
  [1, (storm) => storm.events.sendUnasked(pickTenant(storm))],
  [3, replaceTokens],
  [2, (storm) => pickTenant(storm).revokeAccessTokens()],
  [1, (storm) => pickTenant(storm).revokeGrants()],
  [1, ({ processes }) => processes.pick()?.process.kill()],
  [1, putToSleep],
  [0.5, ({ processes }) => processes.shutDownOne()],
  [0.3, damageValue],
  [1, cutDatabase],
  [1, slowDisk],
  [0.5, stepClock],
  [0.3, stepDatabaseClock],
  [0.3, (storm) => storm.events.uninstall(pickTenant(storm))],
  [0.7, ({ events, tenants }) => tenants.forEach(events.install)],
  [2, installAgain],
  [0.5, refuseEverything],
  [2, breakDown],
];
const totalWeight = actions.reduce((sum, [weight]) => sum + weight, 0);

/** Plans all actions of the storm. */
export function planStorm(simulation: Simulation, surroundings: Surroundings): void {
  const { scheduler, random, climate } = simulation;
  const { tenants, neighbours, events } = surroundings;
  const { stormMs, actions: count } = climate();
  const storm: Storm = { simulation, ...surroundings };
  for (const tenant of tenants) {
    scheduler.after(random.between(0, 1_000), () => events.install(tenant));
    scheduler.after(random.between(2_000, stormMs), () => callEverywhere(storm));
  }
  for (let left = count; left > 0; left -= 1) {
    scheduler.after(random.between(500, stormMs), () => doSomething(storm));
  }
  if (neighbours.length === 0) return;
  const crowd = neighbours.length < crowdSize ? crowdOrigin : crowdWithFirstCallers;
  for (let left = random.integer(1, 2); left > 0; left -= 1) {
    scheduler.after(random.between(500, stormMs), () => crowd(storm));
  }
}

function doSomething(storm: Storm): void {
  let left = storm.simulation.random.next() * totalWeight;
  const chosen = actions.find(([weight]) => {
    left -= weight;
    return left < 0;
  });
  chosen?.[1](storm);
}

function pickTenant({ simulation, tenants }: Pick<Storm, 'simulation' | 'tenants'>): Tenant {
  return simulation.random.pick(tenants);
}

function callOften(storm: Storm): void {
  const { processes, callers } = storm;
  const { random } = storm.simulation;
  const tenant = pickTenant(storm);
  const running = processes.pick();
  if (!running) return;
  for (let left = random.integer(1, 4); left > 0; left -= 1) {
    const leavesAfterMs = random.chance(0.1) ? random.between(0, 5_000) : undefined;
    if (random.chance(0.1)) void callers.borrow(running, tenant);
    else void callers.call(running, tenant, leavesAfterMs);
  }
}

function callEverywhere(storm: Storm): void {
  const tenant = pickTenant(storm);
  for (const running of storm.processes.running()) void storm.callers.call(running, tenant);
}

/** The platform revokes tokens and sends new ones, while calls meet the old one (Spec §6). */
function replaceTokens(storm: Storm): void {
  const { events, processes, callers } = storm;
  const { random, scheduler } = storm.simulation;
  const tenant = pickTenant(storm);
  if (random.chance(0.5)) tenant.revokeAccessTokens();
  else tenant.revokeGrants();
  events.sendUnasked(tenant);
  for (const running of processes.running()) {
    scheduler.after(random.between(0, 2_000), () => void callers.call(running, tenant));
  }
}

/** The platform's API refuses every token (threat H07). */
function refuseEverything(storm: Storm): void {
  const { platform, processes, callers } = storm;
  const { random, scheduler } = storm.simulation;
  const tenant = pickTenant(storm);
  platform.breakDown(tenant, 'API', 'unauthorized', 12_000);
  for (let calls = 6; calls > 0; calls -= 1) {
    const running = processes.pick();
    if (!running) continue;
    scheduler.after(random.between(0, 10_000), () => void callers.call(running, tenant));
  }
}

/** Installs again while a code of the previous generation is on its way, or held by a process that sleeps. */
function installAgain(storm: Storm): void {
  const { events, processes } = storm;
  const { random, scheduler } = storm.simulation;
  const tenant = pickTenant(storm);
  events.sendUnasked(tenant);
  const uninstalledAfterMs = random.between(500, 2_000);
  scheduler.after(random.next() * uninstalledAfterMs, () =>
    processes.pick()?.process.sleep(random.between(2_500, 7_000)),
  );
  scheduler.after(uninstalledAfterMs, () => events.uninstall(tenant));
  for (const laterMs of [2_050, 4_000]) {
    scheduler.after(uninstalledAfterMs + laterMs, () => events.install(tenant));
  }
}

function breakDown(storm: Storm): void {
  const { random } = storm.simulation;
  const tenant = pickTenant(storm);
  const part = random.pick(parts);
  const fate = random.pick(fates);
  storm.platform.breakDown(tenant, part, fate, random.pick([1_000, 8_000, 30_000]));
}

/** Neighbours take all the places that they get: their calls hang, are slow or have long bodies. Their tenant is called too. */
function crowdOrigin(storm: Storm): void {
  const { neighbours, tenants, platform, processes, callers } = storm;
  const { random, count } = storm.simulation;
  const running = processes.pick();
  const [tenant] = tenants;
  if (!running || !tenant) return;
  count('neighbours crowd an origin');
  const fate = random.pick<Fate | undefined>(['hangs', 'hangs', 'lasts', undefined]);
  const calls = fate === 'lasts' ? longCallsOfNeighbour : callsOfNeighbour;
  for (const neighbour of neighbours) {
    if (fate) platform.breakDown(neighbour, 'API', fate, crowdedMs);
    for (let left = calls; left > 0; left -= 1) {
      void callers.call(running, neighbour);
    }
  }
  callMeanwhile(storm, running, tenant);
}

/** Many tenants of one origin call for the first time, and none gets an answer before the storm is over. */
function crowdWithFirstCallers(storm: Storm): void {
  const { neighbours, tenants, platform, processes, callers } = storm;
  const running = processes.pick();
  const [tenant] = tenants;
  if (!running || !tenant) return;
  storm.simulation.count('first callers crowd an origin');
  for (const neighbour of neighbours) {
    platform.breakDown(neighbour, 'API', 'hangs', Number.POSITIVE_INFINITY);
    for (let calls = 2; calls > 0; calls -= 1) void callers.call(running, neighbour);
  }
  callMeanwhile(storm, running, tenant);
}

function callMeanwhile({ simulation, callers }: Storm, running: Running, tenant: Tenant): void {
  const { scheduler, random } = simulation;
  for (let calls = 4; calls > 0; calls -= 1) {
    scheduler.after(random.between(0, crowdedMs), () => void callers.call(running, tenant));
  }
}

/** Makes syncs slow: each takes seconds, and commits are acknowledged only after a sync. */
function slowDisk({ simulation: { random }, link }: Storm): void {
  link.disk.slowDown(random.pick([5_000, 20_000]), random.pick([1_000, 3_000, 8_000]));
}

function putToSleep({ simulation, processes }: Storm): void {
  processes.pick()?.process.sleep(simulation.random.between(1_000, 25_000));
}

function cutDatabase({ simulation, processes, link }: Storm): void {
  const { random, count, log } = simulation;
  const running = random.chance(0.5) ? processes.pick() : undefined;
  const ms = random.pick([500, 5_000, 20_000]);
  count('database away');
  log('database', `away for ${ms} ms${running ? ` from ${running.process.name}` : ''}`);
  link.cut(running?.process, ms);
}

function stepClock({ simulation, processes, check }: Storm): void {
  const running = processes.pick();
  if (!running) return;
  check.living.clockWasSet();
  const ms = simulation.random.pick(stepsMs);
  running.process.clockOffsetMs += ms;
  simulation.count('clock stepped');
  simulation.log(running.process.name, `its clock is set by ${ms} ms`);
}

function stepDatabaseClock({ simulation }: Storm): void {
  const { scheduler, databaseClock } = simulation;
  const ms = simulation.random.pick(stepsMs);
  databaseClock.offsetMs += ms;
  databaseClock.steppedAt = scheduler.now();
  databaseClock.wasSetBack ||= ms < 0;
  simulation.count('database clock stepped');
  simulation.log('database', `its clock is set by ${ms} ms`);
}

function damageValue(storm: Storm): void {
  const { random, count, log } = storm.simulation;
  const tenant = pickTenant(storm);
  const id = storm.state.idOf(tenant);
  if (id === undefined) return;
  const column = random.pick(columns);
  count('value damaged');
  log('database', `${column} of ${tenant.name} is damaged`);
  storm.database.damage(id, column);
}

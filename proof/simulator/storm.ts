/** What the outside world does to the processes while there are faults, each deed at a random moment. */
import type { Callers } from './callers.ts';
import type { AccessCheck } from './checks/access-check.ts';
import type { StoredState } from './checks/stored-state.ts';
import type { SealedColumn, SimulatedDatabase } from './database.ts';
import type { DatabaseLink } from './database-link.ts';
import type { Events } from './events.ts';
import type { Fate } from './network.ts';
import type { Part, Platform } from './platform.ts';

import type { Processes } from './processes.ts';
import type { Simulation } from './simulation.ts';
import type { Tenant } from './tenant.ts';

export interface Surroundings {
  database: SimulatedDatabase;
  check: AccessCheck;
  state: StoredState;
  tenants: readonly Tenant[];
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
/** What clocks are set by. */
const stepsMs = [-3_600_000, -2_000, 2_000, 60_000, 3_600_000];

/** Plans everything until the storm is over. */
export function planStorm(simulation: Simulation, surroundings: Surroundings): void {
  const { scheduler, random, climate, tell, count, databaseClock } = simulation;
  const { database, state, tenants, processes, platform, events, callers, link } = surroundings;
  const { stormMs } = climate();

  function callOften(): void {
    const tenant = random.pick(tenants);
    const running = processes.pick();
    if (!running) return;
    for (let left = random.integer(1, 4); left > 0; left -= 1) {
      const leavesAfterMs = random.chance(0.1) ? random.between(0, 5_000) : undefined;
      if (random.chance(0.1)) void callers.borrow(running, tenant);
      else void callers.call(running, tenant, leavesAfterMs);
    }
  }

  function callEverywhere(): void {
    const tenant = random.pick(tenants);
    for (const running of processes.running()) void callers.call(running, tenant);
  }

  /** The platform voids a token and sends new ones, while calls meet the old one (Spec §6). */
  function replaceTokens(): void {
    const tenant = random.pick(tenants);
    if (random.chance(0.5)) tenant.revokeAccessTokens();
    else tenant.revokeGrants();
    events.sendUnasked(tenant);
    for (const running of processes.running()) {
      scheduler.after(random.between(0, 2_000), () => void callers.call(running, tenant));
    }
  }

  /** The platform's API is out of its mind (threat H07). */
  function refuseEverything(): void {
    const tenant = random.pick(tenants);
    platform.breakDown(tenant, 'API', 'unauthorized', 12_000);
    for (let calls = 6; calls > 0; calls -= 1) {
      const running = processes.pick();
      if (!running) continue;
      scheduler.after(random.between(0, 10_000), () => void callers.call(running, tenant));
    }
  }

  /** While a code of the life before is still on its way, or in the hands of one that sleeps. */
  function installAgain(): void {
    const tenant = random.pick(tenants);
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

  function cutDatabase(): void {
    const running = random.chance(0.5) ? processes.pick() : undefined;
    const ms = random.pick([500, 5_000, 20_000]);
    count('database away');
    tell('database', `away for ${ms} ms${running ? ` from ${running.process.name}` : ''}`);
    link.cut(running?.process, ms);
  }

  function stepClock(): void {
    const running = processes.pick();
    if (!running) return;
    const ms = random.pick(stepsMs);
    running.process.clockOffsetMs += ms;
    count('clock stepped');
    tell(running.process.name, `its clock is set by ${ms} ms`);
  }

  function stepDatabaseClock(): void {
    const ms = random.pick(stepsMs);
    databaseClock.offsetMs += ms;
    databaseClock.steppedAt = scheduler.now();
    count('database clock stepped');
    tell('database', `its clock is set by ${ms} ms`);
  }

  function damageValue(): void {
    const tenant = random.pick(tenants);
    const id = state.idOf(tenant);
    if (id === undefined) return;
    const column = random.pick(columns);
    count('value damaged');
    tell('database', `${column} of ${tenant.name} is damaged`);
    database.damage(id, column);
  }

  const deeds: [weight: number, deed: () => void][] = [
    [6, callOften],
    [3, callEverywhere],
    [1, () => events.sendUnasked(random.pick(tenants))],
    [3, replaceTokens],
    [2, () => random.pick(tenants).revokeAccessTokens()],
    [1, () => random.pick(tenants).revokeGrants()],
    [1, () => processes.pick()?.process.kill()],
    [1, () => processes.pick()?.process.sleep(random.between(1_000, 25_000))],
    [0.5, () => processes.shutDownOne()],
    [0.3, damageValue],
    [1, cutDatabase],
    [0.5, stepClock],
    [0.3, stepDatabaseClock],
    [0.3, () => events.uninstall(random.pick(tenants))],
    [0.7, () => tenants.forEach(events.install)],
    [1, installAgain],
    [0.5, refuseEverything],
    [
      2,
      () =>
        platform.breakDown(
          random.pick(tenants),
          random.pick(parts),
          random.pick(fates),
          random.pick([1_000, 8_000, 30_000]),
        ),
    ],
  ];
  const total = deeds.reduce((sum, [weight]) => sum + weight, 0);

  function doSomething(): void {
    let left = random.next() * total;
    const chosen = deeds.find(([weight]) => {
      left -= weight;
      return left < 0;
    });
    chosen?.[1]();
  }

  for (const tenant of tenants) {
    scheduler.after(random.between(0, 1_000), () => events.install(tenant));
    scheduler.after(random.between(2_000, stormMs), callEverywhere);
  }
  for (let left = climate().deeds; left > 0; left -= 1) {
    scheduler.after(random.between(500, stormMs), doSomething);
  }
}

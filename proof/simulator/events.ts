/** The lives of the plug-in in each tenant: a failed installation is followed by an uninstall (Spec §3). */
import type { StoredState } from './checks/stored-state.ts';
import { type DeliveryContext, sendEvent } from './event-delivery.ts';
import type { Processes } from './processes.ts';
import type { Simulation } from './simulation.ts';
import type { Life, Tenant } from './tenant.ts';

export type Events = ReturnType<typeof createEvents>;

/** An event of the same second as an uninstall may belong to the generation before or after it. */
const pauseAfterUninstallMs = 2_000;

export function createEvents(simulation: Simulation, processes: Processes, state: StoredState) {
  const context: DeliveryContext = {
    simulation,
    processes,
    state,
    uninstalls: new Map(),
    underWay: 0,
  };
  return {
    /** Does nothing if the plug-in is installed. */
    install: (tenant: Tenant) => install(context, tenant),
    uninstall: (tenant: Tenant) => uninstall(context, tenant),
    /** The platform accepted a trigger. */
    triggered: (tenant: Tenant) => answerTrigger(context, tenant),
    /** Sends an access_token event that no trigger requested. */
    sendUnasked: (tenant: Tenant) => sendUnasked(context, tenant),
    isQuiet: () => context.underWay === 0,
  };
}

function install(context: DeliveryContext, tenant: Tenant): void {
  const { count, log } = context.simulation;
  const before = tenant.life();
  if (before && !mayInstallAgain(context, tenant, before)) return;
  if (before) count('installed again');
  const life = tenant.begin();
  log(tenant.name, `installs the plug-in, life ${life.number}`);
  sendEvent(context, {
    tenant,
    life,
    name: 'install',
    onEnd: (isInstalled) => {
      if (isInstalled) giveAccess(context, tenant, life);
      else failInstallation(context, tenant, life);
    },
  });
}

function mayInstallAgain(
  { simulation, uninstalls }: DeliveryContext,
  tenant: Tenant,
  before: Life,
): boolean {
  const endedAt = uninstalls.get(tenant) ?? 0;
  return before.state === 'ended' && simulation.now() >= endedAt + pauseAfterUninstallMs;
}

function giveAccess(context: DeliveryContext, tenant: Tenant, life: Life): void {
  sendEvent(context, {
    tenant,
    life,
    name: 'access_token',
    onEnd: (hasTokens) => {
      if (!hasTokens) failInstallation(context, tenant, life);
      else if (life.state === 'installing') life.state = 'installed';
    },
  });
}

function failInstallation(context: DeliveryContext, tenant: Tenant, life: Life): void {
  if (life.state !== 'installing') return;
  context.simulation.count('installation failed');
  endLife(context, tenant, life);
}

function uninstall(context: DeliveryContext, tenant: Tenant): void {
  const life = tenant.life();
  if (life?.state !== 'installed') return;
  context.simulation.count('uninstalled');
  endLife(context, tenant, life);
}

function endLife(context: DeliveryContext, tenant: Tenant, life: Life): void {
  context.simulation.log(tenant.name, 'is uninstalled');
  tenant.end();
  sendEvent(context, { tenant, life, name: 'uninstall' });
}

function answerTrigger(context: DeliveryContext, tenant: Tenant): void {
  const { random, climate } = context.simulation;
  const life = tenant.life();
  if (!life || random.chance(climate().events.lost)) return;
  sendEvent(context, { tenant, life, name: 'access_token' });
}

function sendUnasked(context: DeliveryContext, tenant: Tenant): void {
  const life = tenant.life();
  if (life?.state !== 'installed') return;
  context.simulation.count('event: unsolicited');
  sendEvent(context, { tenant, life, name: 'access_token' });
}

/** All tenants' access tokens have ended, and three calls of each begin together. */
import { canPreload, preloadDisk } from '../proof/disk/preload-disk.ts';
import type { Probe } from './fleet-child.ts';
import { createPostgresDatabase, startFleet } from './fleet-world.ts';

export interface Expiry {
  database: 'SQLite' | 'PostgreSQL';
  delayMs: number;
  processes: number;
  tenants: number;
  calls: number;
  succeeded: number;
  refreshes: number;
  /** Tenants whose refresh token was presented more than once. */
  presentedTwice: number;
  triggers: number;
  failures: Record<string, number>[];
  wallMs: number;
  lagP99Ms: number;
  probe: Probe;
}

const callsEach = 3;
/** More tenants at once take more CPU time than the product's time limits allow. */
const mostInTime = 1_000;

type Case = Pick<Expiry, 'database' | 'delayMs' | 'processes' | 'tenants'>;

function listCases(sizes: number[], hasPostgres: boolean): Case[] {
  const [size = 1_000, ...larger] = sizes;
  const database = 'SQLite';
  const delays = canPreload ? [0, 3, 10, 30] : [0];
  return [
    ...delays.map((delayMs) => ({ database, delayMs, processes: 1, tenants: size }) as const),
    ...larger.map((tenants) => ({ database, delayMs: 0, processes: 1, tenants }) as const),
    { database, delayMs: canPreload ? 10 : 0, processes: 4, tenants: size },
    ...(hasPostgres
      ? [1, 4].map(
          (processes) =>
            ({ database: 'PostgreSQL', delayMs: 0, processes, tenants: size }) as const,
        )
      : []),
  ];
}

export async function measureExpiry(sizes: number[], postgresUrl?: string): Promise<Expiry[]> {
  const results: Expiry[] = [];
  for (const each of listCases(sizes, postgresUrl !== undefined)) {
    results.push(await measureCase(each));
    console.error(results.at(-1));
  }
  return results;
}

async function measureCase({
  database,
  delayMs,
  processes,
  tenants: count,
}: Case): Promise<Expiry> {
  const postgres = database === 'PostgreSQL' ? await createPostgresDatabase() : undefined;
  const env = delayMs > 0 ? preloadDisk({ delayMs }) : {};
  const isPatient = count > mostInTime;
  const fleet = await startFleet({ postgresUrl: postgres?.url, processes, isPatient, env });
  const [living] = await fleet.install(1, { isExpired: false });
  const tenants = await fleet.install(count, { isExpired: true });
  const ids = tenants.map(({ id }) => id as string);

  const herds = await Promise.all(
    fleet.children.map((child) => child.ask('herd', ids, callsEach, living?.id as string)),
  );

  const counts = await fleet.count(tenants);
  await fleet.close();
  await postgres?.drop();
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  const worst = (values: number[]) => Math.max(...values);
  return {
    database,
    delayMs,
    processes,
    tenants: count,
    calls: count * callsEach * processes,
    succeeded: sum(herds.map(({ succeeded }) => succeeded)),
    refreshes: sum(counts.map(({ refreshes }) => refreshes)),
    presentedTwice: counts.filter(({ refreshes }) => refreshes > 1).length,
    triggers: sum(counts.map(({ triggers }) => triggers)),
    failures: herds.map(({ failures }) => failures),
    wallMs: worst(herds.map(({ wallMs }) => wallMs)),
    lagP99Ms: worst(herds.map(({ lagP99Ms }) => lagP99Ms)),
    probe: {
      calls: sum(herds.map(({ probe }) => probe.calls)),
      failed: sum(herds.map(({ probe }) => probe.failed)),
      p50Ms: worst(herds.map(({ probe }) => probe.p50Ms)),
      maxMs: worst(herds.map(({ probe }) => probe.maxMs)),
    },
  };
}

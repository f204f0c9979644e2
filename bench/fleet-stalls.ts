/** Calls with a valid token while the database stalls: they do not need it. */

import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTcpProxy } from '@dowel/installation-store/testing';
import { canPreload, preloadDisk } from '../proof/disk/preload-disk.ts';
import type { Probe } from './fleet-child.ts';
import { createPostgresDatabase, type Fleet, startFleet } from './fleet-world.ts';

export interface Stall {
  meanwhile: string;
  probe: Probe;
}

const writers = 60;
const probeForMs = 8_000;
const lockForMs = 3_000;

export async function measureStalls(postgresUrl?: string): Promise<Stall[]> {
  return [
    await onIdleDatabase(),
    ...(canPreload ? [await onSlowDisk()] : []),
    await onLockedDatabase(),
    ...(postgresUrl ? [await onFrozenPostgres()] : []),
  ];
}

async function installLiving(fleet: Fleet): Promise<string> {
  const [living] = await fleet.install(1, { isExpired: false });
  return living?.id as string;
}

async function onIdleDatabase(): Promise<Stall> {
  const fleet = await startFleet();
  const probe = await fleet.first.ask('probe', await installLiving(fleet), probeForMs);
  await fleet.close();
  return { meanwhile: 'nothing', probe };
}

async function onSlowDisk(): Promise<Stall> {
  const fleet = await startFleet({ env: preloadDisk({ delayMs: 1_000 }) });
  const id = await installLiving(fleet);
  const tenants = await fleet.install(writers, { isExpired: true });
  await fleet.first.ask(
    'keepWriting',
    tenants.map((each) => each.id as string),
  );
  const probe = await fleet.first.ask('probe', id, probeForMs);
  await fleet.close();
  return { meanwhile: `each sync takes 1 s, ${writers} tenants write`, probe };
}

async function onLockedDatabase(): Promise<Stall> {
  const fleet = await startFleet();
  const id = await installLiving(fleet);
  const probing = fleet.first.ask('probe', id, probeForMs);
  const database = new DatabaseSync((fleet.location as { path: string }).path);
  database.exec('begin immediate');
  await sleep(lockForMs);
  database.exec('rollback');
  database.close();
  const probe = await probing;
  await fleet.close();
  return { meanwhile: 'another process holds the write lock of SQLite for 3 s', probe };
}

async function onFrozenPostgres(): Promise<Stall> {
  const database = await createPostgresDatabase();
  const url = new URL(database.url);
  const proxy = await startTcpProxy(new URL(url));
  url.port = String(proxy.port);
  const fleet = await startFleet({ postgresUrl: url.href });
  const id = await installLiving(fleet);
  // After this call its tokens are in memory.
  await fleet.first.ask('probe', id, 100);
  proxy.freeze();
  const probe = await fleet.first.ask('probe', id, probeForMs);
  proxy.close();
  await fleet.close();
  await database.drop();
  return { meanwhile: 'PostgreSQL answers nothing for 8 s', probe };
}

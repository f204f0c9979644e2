/** Many installations that need a refresh, and their calls. */
import type { InstalledPlugin } from '@dowel/token-client/testing';
import { expect } from 'vitest';
import type { HerdWorld } from './herd-world.ts';
import { clean } from './scenario.ts';

/** Installs ten at a time. */
export async function installMany(world: HerdWorld, count: number): Promise<InstalledPlugin[]> {
  const installations: InstalledPlugin[] = [];
  async function installSome(): Promise<void> {
    while (installations.length < count) {
      const installation = await world.install();
      await world.platform.revokeAccessTokens(installation);
      installations.push(installation);
    }
  }
  await Promise.all(Array.from({ length: Math.min(10, count) }, installSome));
  return installations.slice(0, count);
}

/** Each installation is refreshed once, and all calls succeed. */
export async function callEach(
  world: HerdWorld,
  { size, count, processes }: { size: number; count: number; processes: number },
): Promise<void> {
  const installations = await installMany(world, size);
  const installationIds = installations.map(({ id }) => id);

  const outcomes = await world.callAll({ installationIds, count });

  const calls = count * processes;
  expect(outcomes).toEqual({ 201: calls * size });
  for (const { tally } of installations) {
    expect(tally).toMatchObject({ ...clean, refreshes: 1, issued: 1, accepted: calls });
  }
}

/** Installations share only processes, a database and a platform. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { makeCalls } from './make-calls.ts';
import { callEach, installMany } from './many-installations.ts';
import { clean, describeEach, patience, runsAll, settings, shareWorld } from './scenario.ts';
import { usualServers } from './servers.ts';

describeEach(settings, (options) => {
  const world = shareWorld({ ...options, policy: patience });

  const size = runsAll ? 1000 : 250;

  test('R6: three calls of each of many installations refresh once for each, with its own token', () =>
    callEach(world(), { size, count: 3, processes: options.processes }));
});

describe.each(usualServers)('one process on $server', (options) => {
  const world = shareWorld(options);

  test('an installation whose token endpoint hangs holds up no other', async () => {
    const [slow, quick] = await installMany(world(), 2);
    if (!slow || !quick) throw new Error('Two installations are needed');
    const arrived = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    slow.refreshFaults = [
      {
        before: () => {
          arrived.resolve();
          return released.promise;
        },
      },
    ];
    const { client } = world();
    let slowIsDone = false;
    const slowCalls = makeCalls(client, { installationIds: [slow.id], count: 20 }).finally(() => {
      slowIsDone = true;
    });
    await arrived.promise;

    expect(await makeCalls(client, { installationIds: [quick.id], count: 100 })).toEqual({
      201: 100,
    });
    expect(slowIsDone).toBe(false);
    released.resolve();

    expect(await slowCalls).toEqual({ 201: 20 });
    expect(quick.tally).toMatchObject({ ...clean, refreshes: 1 });
    expect(slow.tally).toMatchObject({ ...clean, refreshes: 1 });
  });

  test('more installations than a slow token endpoint can serve at once wait in line, and none is given up', async () => {
    const installations = await installMany(world(), 120);
    for (const installation of installations) {
      installation.standingFault = { before: () => sleep(300) };
    }
    const client = world().createClient({ policy: patience });
    const installationIds = installations.map(({ id }) => id);

    expect(await makeCalls(client, { installationIds, count: 5 })).toEqual({ 201: 600 });
    for (const { tally } of installations) {
      expect(tally).toMatchObject({ ...clean, refreshes: 1, exchanges: 0 });
    }
  });

  test('a dead installation triggers for itself alone', async () => {
    const [dead, alive] = await installMany(world(), 2);
    if (!dead || !alive) throw new Error('Two installations are needed');
    await world().platform.revokeGrants(dead);
    const plan = { installationIds: [dead.id, alive.id], count: 50 };

    expect(await makeCalls(world().client, plan)).toEqual({ 201: 100 });
    expect(dead.tally).toMatchObject({ ...clean, refreshes: 1, triggers: 1 });
    expect(alive.tally).toMatchObject({ ...clean, refreshes: 1, exchanges: 0 });
  });
});

/**
 * The process that refreshes dies, or sleeps and wakes, at every step, on every server: the others go on, with the
 * lease and the time-outs of production.
 */
import type { InstalledPlugin } from '@dowel/token-client/testing';
import { expect, test } from 'vitest';
import type { HerdWorld } from './herd-world.ts';
import { describeEach, everySetting, shareWorld } from './scenario.ts';
import { type Step, steps } from './stop-at-step.ts';

/** The survivors wait for the end of the lease. On a busy machine what follows takes long. */
const policy = { waitMs: 100_000, callTimeoutMs: 100_000 };
const survivors = 3;
const count = 25;

/** The server spent the refresh token, and its answer is lost. */
const lost = { refreshes: 2, reuses: 1, triggers: 1, exchanges: 1 };
const once = { refreshes: 1, reuses: 0, triggers: 0, exchanges: 0 };
/** The number of token requests until every call of the survivors has succeeded. */
const untilHealed: Record<Step, typeof once> = {
  'before lease': once,
  'after lease': once,
  'before send': once,
  'after spent': lost,
  'before commit': lost,
  'inside commit': lost,
  'after commit': once,
};

/**
 * A process that sleeps inside a transaction stops all writers: that is the database's promise. One
 * that sleeps before it sends may send too late, which is a scenario of its own.
 */
const paused = steps.filter((step) => step !== 'inside commit' && step !== 'before send');

async function callOfEach(world: HerdWorld, { id }: InstalledPlugin) {
  expect(await world.callAll({ installationIds: [id], count })).toEqual({
    201: survivors * count,
  });
}

const crashed = everySetting.filter(({ processes }) => processes > 1);

describeEach(crashed, (options) => {
  const world = shareWorld({ ...options, processes: survivors, policy });

  /** A separate process refreshes, and stops at the step. */
  async function stopLeader(step: Step, signal: 'SIGKILL' | 'SIGSTOP') {
    const installation = await world().install();
    const leader = await world().addWorker();
    await world().platform.revokeAccessTokens(installation);
    const { stopped } = await leader.stopAt({ step, signal });
    const calls = leader.calls({ installationIds: [installation.id], count });
    const outcomes = calls.catch((error: Error) => error.message);
    await stopped;
    return { installation, leader, outcomes };
  }

  test.concurrent.each(steps)(
    'R1, R2: a leader killed %s costs nobody else a call',
    async (step) => {
      const { installation, outcomes } = await stopLeader(step, 'SIGKILL');

      await callOfEach(world(), installation);

      expect(await outcomes).toBe('The worker died');
      expect(installation.tally).toMatchObject({ strangers: 0, ...untilHealed[step] });
      expect(installation.tally.maxPresentations).toBeLessThanOrEqual(2);
    },
  );

  test.concurrent('R7: a request that a sleeping leader has handed to its network costs one trigger', async () => {
    const installation = await world().install();
    const { platform, addWorker } = world();
    const plan = { installationIds: [installation.id], count };
    const leader = await addWorker();
    await platform.revokeAccessTokens(installation);
    // Its connection to the token endpoint is open from here on.
    await leader.calls(plan);
    await platform.revokeAccessTokens(installation);
    const { stopped } = await leader.stopAt({ step: 'before send', signal: 'SIGSTOP' });
    const outcomes = leader.calls(plan).catch((error: Error) => error.message);
    await stopped;
    await callOfEach(world(), installation);
    expect(installation.tally).toMatchObject({ refreshes: 2, reuses: 0, triggers: 0 });
    const tokenVersion = await world().tokenVersion(installation.id);

    leader.resume();
    await outcomes;
    expect(await world().tokenVersion(installation.id)).toBeGreaterThanOrEqual(tokenVersion ?? 0);
    await callOfEach(world(), installation);
    expect(await leader.calls(plan)).toEqual({ 201: count });
    expect(installation.tally).toMatchObject({
      strangers: 0,
      refreshes: 4,
      maxPresentations: 2,
      reuses: 1,
      triggers: 1,
      exchanges: 1,
    });
  });

  test.concurrent.each(paused)(
    'R7: a leader that sleeps %s and wakes takes nothing back',
    async (step) => {
      const { installation, leader, outcomes } = await stopLeader(step, 'SIGSTOP');
      await callOfEach(world(), installation);
      expect(installation.tally).toMatchObject({ strangers: 0, ...untilHealed[step] });
      const tokenVersion = await world().tokenVersion(installation.id);

      leader.resume();
      await outcomes;

      expect(await world().tokenVersion(installation.id)).toBe(tokenVersion);
      await callOfEach(world(), installation);
      expect(await leader.calls({ installationIds: [installation.id], count })).toEqual({
        201: count,
      });
      expect(installation.tally).toMatchObject({ strangers: 0, ...untilHealed[step] });
      expect(installation.tally.maxPresentations).toBeLessThanOrEqual(2);
    },
  );
});

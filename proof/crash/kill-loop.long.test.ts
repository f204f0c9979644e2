/** Killed at any moment, again and again, while the platform sends as fast as it can: threat K10. */
import { setTimeout as sleep } from 'node:timers/promises';
import { defaultPolicy } from '@dowel/token-client';
import { describe, expect, test, vi } from 'vitest';
import { downtimeMs, engines, patienceMs, shareCrashPlatform } from './crash-suite.ts';
import { collectRows } from './crash-table.ts';
import type { CrashWorld } from './crash-world.ts';
import { runsAll } from './kill-steps.ts';
import { createRandom, type Random } from './random.ts';
import { findDamage, listIntents } from './stored-state.ts';
import { createWriters, type Writers } from './writers.ts';

const shared = shareCrashPlatform();
const addRow = collectRows();

const kills = runsAll ? { SQLite: 500, PostgreSQL: 500 } : { SQLite: 10, PostgreSQL: 5 };
/** An exchange that was killed again and again waits so long for its next trigger. */
const longestPauseMs = 1.2 * defaultPolicy.trigger.maxTakenMs;
/** The life of a process, limited by accepted codes and by time. */
const longest = { codes: runsAll ? 12 : 5, ms: 60, startMs: 600 };
const seed = Number(process.env.DOWEL_CRASH_SEED || 1);

async function liveAndDie(world: CrashWorld, writers: Writers, random: Random): Promise<void> {
  const bff = await world.start();
  await writers.nextTaken(Math.floor(random() * longest.codes));
  await sleep(random() * longest.ms);
  await bff.end();
}

describe.concurrent.each(engines)('on $name', (engine) => {
  const count = kills[engine.name];

  test(
    `K10: ${count} kills at random lose nothing that was acknowledged (seed ${seed})`,
    { timeout: 60 * 60_000 },
    () =>
      shared.inWorld(engine, async (world) => {
        const random = createRandom(seed);
        world.redelivers = (event) => event === 'uninstall';
        const writers = createWriters(shared.platform, world, createRandom(seed + 1));
        for (let killed = 0; killed < count; killed += 1) {
          if (random() < 0.1) await world.killYoung(random() * longest.startMs);
          else await liveAndDie(world, writers, random);
        }
        const killedAt = performance.now();
        await world.passTime(downtimeMs.intent);
        await world.start();
        await writers.nextTaken(runsAll ? longest.codes : count);
        await writers.stop();

        await vi.waitFor(
          async () => {
            expect(await listIntents(world)).toEqual([]);
            expect(await writers.findStuck()).toEqual([]);
          },
          { timeout: patienceMs + longestPauseMs, interval: 500 },
        );
        const healedInMs = performance.now() - killedAt;
        expect(await writers.findLost()).toEqual([]);
        expect(await findDamage(world)).toEqual([]);
        const acknowledged = writers.countAcknowledged();
        expect(acknowledged).toBeGreaterThanOrEqual(count);
        addRow({
          scenario: 'at random',
          step: `seed ${seed}`,
          engine: engine.name,
          kills: count,
          healedInMs,
          result: `0 of ${acknowledged} lost`,
        });
      }),
  );
});

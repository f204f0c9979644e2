/** A process that stops breaks no call: threat P3. */
import { expect, test } from 'vitest';
import { engines, patienceMs, shareCrashPlatform } from './crash-suite.ts';
import { restartInTurn } from './rolling-restart.ts';

const shared = shareCrashPlatform();
const [sqlite] = engines;
if (!sqlite) throw new Error('SQLite is always there');

test(
  'P3: a restart resets none of 400 calls of clients that keep their connections',
  { timeout: patienceMs },
  () =>
    shared.inWorld(sqlite, async ({ environment }) => {
      const { failed, exits } = await restartInTurn({
        environment,
        clients: 16,
        calls: 400,
        restarts: 1,
        nextCall: () => ({ method: 'GET', path: '/manifest.json' }),
      });

      expect(failed).toEqual({});
      expect(exits).toEqual([0]);
    }),
);

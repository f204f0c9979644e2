import { expect, test } from 'vitest';
import { createAnnouncer } from './announcer.ts';
import { openEngine } from './open-engine.ts';
import { holdRefresh, recoverLost } from './outage.ts';
import { sqlite } from './testing/index.ts';

test('a restore that fails holds refreshes for three seconds: the next attempt may find no loss', async ({
  onTestFinished,
}) => {
  const database = await sqlite.create();
  const engine = await openEngine(database.location);
  onTestFinished(async () => {
    await engine.close();
    await database.destroy();
  });
  const announcer = createAnnouncer();
  announcer.addOfLoss(() => Promise.reject(new Error('away')));
  const loss = { until: 0 };

  await expect(recoverLost(engine, { announcer, loss }, ['lost'])).rejects.toThrow('away');

  const heard = { silentMs: () => 0, outageEnd: () => undefined };
  expect(holdRefresh(heard, loss).allMs).toBeLessThanOrEqual(3_000);
  expect(loss.until).toBeGreaterThan(0);
});

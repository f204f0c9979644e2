/** A thousand installations share a process, a database and a platform, and nothing else. */
import { test } from 'vitest';
import { callTenTimes } from './many-installations.ts';
import { describeEach, everySetting, patience, shareWorld } from './scenario.ts';

const inOneProcess = everySetting.filter(({ processes }) => processes === 1);

describeEach(inOneProcess, (options) => {
  const world = shareWorld({ ...options, policy: patience });

  test('R6: ten calls of each of 1,000 installations refresh 1,000 times, each its own token', () =>
    callTenTimes(world(), { size: 1000, processes: 1 }));
});

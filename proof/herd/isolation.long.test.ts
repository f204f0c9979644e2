/** Thousands of installations share only a process, a database and a platform. */
import { test } from 'vitest';
import { callEach } from './many-installations.ts';
import { describeEach, everySetting, patience, shareWorld } from './scenario.ts';

const inOneProcess = everySetting.filter(({ processes }) => processes === 1);

describeEach(inOneProcess, (options) => {
  const world = shareWorld({ ...options, policy: patience });

  test('R6: ten calls of each of 1,000 installations refresh 1,000 times, each its own token', () =>
    callEach(world(), { size: 1000, count: 10, processes: 1 }));

  test(
    'R6: three calls of each of 5,000 installations refresh 5,000 times, each its own token',
    () => callEach(world(), { size: 5000, count: 3, processes: 1 }),
    600_000,
  );
});

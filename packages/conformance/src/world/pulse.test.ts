import { expect, test } from 'vitest';
import { startPulse } from './pulse.ts';

test('time in which the process cannot run is lost', async () => {
  const pulse = startPulse();
  const start = Date.now();

  while (Date.now() < start + 300);

  await expect.poll(() => pulse.lostBetween(start, Date.now())).toBeGreaterThanOrEqual(200);
  expect(pulse.lostBetween(start - 2_000, start - 1_000)).toBe(0);
  pulse.stop();
});

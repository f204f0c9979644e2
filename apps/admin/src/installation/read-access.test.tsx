import { expect, it } from 'vitest';
import { readAccess } from './read-access.ts';

const outage = { id: 1, generation: 1, cause: 'invalid_grant', endedBy: null };

it('counts only the part of an outage that is in the span', () => {
  const outages = [{ ...outage, beganAt: 50, endedAt: 120 }];

  expect(readAccess(outages, 100, 200)).toMatchObject({
    share: 0.8,
    outages: [{ beganAt: 100, endedAt: 120 }],
  });
});

it('lets an outage that continues last until now', () => {
  expect(readAccess([{ ...outage, beganAt: 150, endedAt: null }], 100, 200).share).toBe(0.5);
});

it('leaves out outages before the span', () => {
  expect(readAccess([{ ...outage, beganAt: 10, endedAt: 20 }], 100, 200)).toEqual({
    outages: [],
    share: 1,
  });
});

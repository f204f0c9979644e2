import { expect, it } from 'vitest';
import { readAccess } from './read-access.ts';

const outage = { id: 1, generation: 1, cause: 'invalid_grant', beganAt: 1, endedBy: null };

it('counts only the part of an outage that is in the span', () => {
  const outages = [{ ...outage, accessEndsAt: 50, endedAt: 120 }];

  expect(readAccess(outages, 100, 200)).toMatchObject({
    share: 0.8,
    outages: [{ lostAt: 100, endedAt: 120 }],
  });
});

it('lets an outage that continues last until now', () => {
  expect(readAccess([{ ...outage, accessEndsAt: 150, endedAt: null }], 100, 200).share).toBe(0.5);
});

it('leaves out outages before the span', () => {
  expect(readAccess([{ ...outage, accessEndsAt: 10, endedAt: 20 }], 100, 200)).toEqual({
    outages: [],
    share: 1,
  });
});

it('leaves out the time of an outage in which the token still lived', () => {
  const whileItLived = { ...outage, beganAt: 110, accessEndsAt: 190, endedAt: 150 };
  const beyond = { ...outage, beganAt: 160, accessEndsAt: 180, endedAt: null };

  expect(readAccess([beyond, whileItLived], 100, 200)).toMatchObject({
    share: 0.8,
    outages: [{ lostAt: 180, endedAt: 200 }],
  });
});

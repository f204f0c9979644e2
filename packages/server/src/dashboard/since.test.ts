import type { FleetInstallation } from '@dowel/admin-api';
import type { FleetFacts } from '@dowel/installation-store';
import { expect, test } from 'vitest';
import { sinceOf } from './since.ts';

const installation = { state: 'active', generation: 2, beganAt: 50 } as FleetInstallation;
const outage = { id: 1, cause: 'why', accessEndsAt: 60, endedBy: 'event' } as const;
const factsWith = (outages: FleetFacts['outages']) => ({ outages }) as FleetFacts;

test('an active installation is active since the end of the last outage of its life', () => {
  const open = { ...outage, generation: 2, beganAt: 90, endedAt: null };
  const ended = { ...outage, generation: 2, beganAt: 60, endedAt: 70 };

  expect(sinceOf(installation, factsWith([open, ended]))).toBe(70);
});

test.each(['unreachable', 'awaiting', 'no_tokens', 'install_refused'] as const)(
  'the state %s holds since the loss of access',
  (state) => {
    const broken = { ...installation, state, accessEndsAt: 70, failingSince: 60 };

    expect(sinceOf({ ...broken, tokenExpiresAt: 55 }, factsWith([]))).toBe(70);
  },
);

test('a failing installation is failing since its first failure, not since the loss of access', () => {
  const failing = {
    ...installation,
    state: 'failing',
    accessEndsAt: 90,
    failingSince: 60,
  } as const;

  expect(sinceOf(failing, factsWith([]))).toBe(60);
});

test('an outage of an earlier life does not count: the life is active since its beginning', () => {
  const earlier = { ...outage, generation: 1, beganAt: 10, endedAt: 20 };

  expect(sinceOf(installation, factsWith([earlier]))).toBe(50);
});

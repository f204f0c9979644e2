import { expect, test } from 'vitest';
import type { FleetInstallation } from './fleet-api.ts';
import { applyRowPatch, rowPatchSchema, toRowPatch } from './live-api.ts';

const healthy: FleetInstallation = {
  id: 'acme',
  name: '',
  host: 'acme.example.com',
  issuer: 'https://acme.example.com',
  tenantId: 't',
  pluginId: 'p',
  generation: 1,
  state: 'active',
  condition: 'healthy',
  cause: null,
  accessEndsAt: null,
  failingSince: null,
  nextAttempt: null,
  tries: 0,
  canAsk: true,
  beganAt: 5,
  tokenExpiresAt: 100,
  lastEventAt: null,
  lastFailure: null,
  parkedHooks: 0,
};
const broken: FleetInstallation = {
  ...healthy,
  name: 'Acme',
  generation: 3,
  state: 'awaiting',
  condition: 'awaiting',
  cause: 'invalid_grant',
  accessEndsAt: 10,
  nextAttempt: { what: 'trigger', at: 30 },
  tries: 2,
  canAsk: false,
  tokenExpiresAt: 10,
  lastEventAt: 7,
  lastFailure: { reason: 'invalid_grant', at: 10 },
  parkedHooks: 1,
};

const hours = 3_600_000;
const travel = (row: FleetInstallation) =>
  rowPatchSchema.parse(JSON.parse(JSON.stringify(toRowPatch(row, hours))));

test('of a healthy row little is told', () => {
  expect(toRowPatch(healthy, hours)).toEqual({ id: 'acme', tokenExpiresAt: 100 });
});

test.each([
  [healthy, broken],
  [broken, healthy],
  [broken, { ...broken, tries: 9 }],
])('a known row becomes what it is at the server', (before, after) => {
  expect(applyRowPatch(before, travel(after), 50)).toEqual(after);
});

test('an unknown row is told whole if it is in trouble, new, or just recovered', () => {
  const fresh = { ...healthy, beganAt: hours - 1_000 };
  const recovered = { ...healthy, lastFailure: { reason: 'invalid_grant', at: hours - 1_000 } };
  for (const row of [broken, fresh, recovered]) {
    expect(applyRowPatch(undefined, travel(row), 50)).toEqual(row);
  }
});

test('of an unknown healthy row nothing is known', () => {
  expect(applyRowPatch(undefined, travel(healthy), 50)).toBeUndefined();
});

test('the state is that of the time at the server', () => {
  expect(applyRowPatch(healthy, travel(healthy), 200)?.state).toBe('idle');
});

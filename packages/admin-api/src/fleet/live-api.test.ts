import { expect, test } from 'vitest';
import type { FleetInstallation } from './fleet-api.ts';
import {
  applyRowPatch,
  rowDeltaSchema,
  rowPatchSchema,
  toRowDelta,
  toRowPatch,
} from './live-api.ts';

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
  calls: null,
  nextAttempt: null,
  tries: 0,
  canAsk: true,
  beganAt: 5,
  tokenExpiresAt: 100,
  lastEventAt: null,
  lastFailure: null,
  parkedHooks: 0,
  otherAddress: null,
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

test('a patch of a healthy row has only its unusual values', () => {
  expect(toRowPatch(healthy, hours)).toEqual({ id: 'acme', tokenExpiresAt: 100 });
});

test.each([
  [healthy, broken],
  [broken, healthy],
  [broken, { ...broken, tries: 9 }],
])('a known row becomes what it is at the server', (before, after) => {
  expect(applyRowPatch(before, travel(after), 50)).toEqual(after);
});

test('a patch is complete if its row is in trouble, new, or just recovered', () => {
  const fresh = { ...healthy, beganAt: hours - 1_000 };
  const recovered = { ...healthy, lastFailure: { reason: 'invalid_grant', at: hours - 1_000 } };
  for (const row of [broken, fresh, recovered]) {
    expect(applyRowPatch(undefined, travel(row), 50)).toEqual(row);
  }
});

test('a patch of an unknown healthy row gives no row', () => {
  expect(applyRowPatch(undefined, travel(healthy), 50)).toBeUndefined();
});

test('the state is that of the time at the server', () => {
  expect(applyRowPatch(healthy, travel(healthy), 200)?.state).toBe('idle');
});

test.each([
  [broken, { ...broken, tries: 9, nextAttempt: null }],
  [broken, { ...broken, lastFailure: { reason: 'invalid_grant', at: 11 } }],
  [healthy, { ...healthy, tokenExpiresAt: null, name: 'Acme' }],
])('a delta makes of the row that was sent the row at the server', (sent, row) => {
  const delta = rowDeltaSchema.parse(JSON.parse(JSON.stringify(toRowDelta(row, sent))));

  expect(applyRowPatch(sent, delta, 50)).toEqual(row);
});

test('a delta of a further try is short, and gives no row to a page that does not know it', () => {
  const delta = toRowDelta({ ...broken, tries: 9 }, broken);

  expect(delta).toEqual({ id: 'acme', tries: 9, state: broken.state });
  expect(applyRowPatch(undefined, delta, 50)).toBeUndefined();
});

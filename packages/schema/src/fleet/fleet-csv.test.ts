import { expect, test } from 'vitest';
import type { FleetInstallation } from './fleet-api.ts';
import { fleetCsvHeader, fleetCsvLine } from './fleet-csv.ts';

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
  beganAt: 0,
  tokenExpiresAt: null,
  lastEventAt: null,
  lastFailure: null,
  parkedHooks: 0,
  otherAddress: null,
};

/** The cell of the column `name`. */
const cellOf = (name: string): string => {
  const line = fleetCsvLine({ ...healthy, name });
  return line.slice('acme,'.length, line.indexOf(',acme.example.com,'));
};

test('the header names as many columns as a line has, behind the mark of UTF-8', () => {
  expect(fleetCsvHeader).toMatch(/^\u{feff}id,name,host,tenant_id,.*,parked_hooks\r\n$/u);
  expect(fleetCsvLine(healthy).split(',')).toHaveLength(fleetCsvHeader.split(',').length);
});

test('null is an empty cell, a time is ISO 8601, and zero is a number', () => {
  expect(fleetCsvLine(healthy)).toBe(
    'acme,,acme.example.com,t,p,active,,,,,0,1970-01-01T00:00:00.000Z,,,,,0\r\n',
  );
});

test('commas, quotes and line ends are quoted', () => {
  expect(cellOf('a,b')).toBe('"a,b"');
  expect(cellOf('say "x"')).toBe('"say ""x"""');
  expect(cellOf('one\ntwo')).toBe('"one\ntwo"');
});

test.each([
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', '"\'\r=1"'],
  ['\n=1', '"\'\n=1"'],
  ['＝1', "'＝1"],
  ['=HYPERLINK("a","b")', '"\'=HYPERLINK(""a"",""b"")"'],
])('%j is no formula in a spreadsheet', (name, cell) => {
  expect(cellOf(name)).toBe(cell);
});

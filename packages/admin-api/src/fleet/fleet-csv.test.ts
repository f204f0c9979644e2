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
  calls: null,
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
  const line = fleetCsvLine({ ...healthy, name }, 'en');
  return line.slice('acme,'.length, line.indexOf(',acme.example.com,'));
};

test('the header names as many columns as a line has, behind the mark of UTF-8', () => {
  expect(fleetCsvHeader('en')).toMatch(/^\u{feff}id,name,host,tenant_id,.*,parked_hooks\r\n$/u);
  expect(fleetCsvHeader('de')).toMatch(/^\u{feff}id;name;host;tenant_id;.*;geparkte_hooks\r\n$/u);
  for (const [language, separator] of [
    ['en', ','],
    ['de', ';'],
  ] as const) {
    const names = fleetCsvHeader(language).split(separator);
    expect(fleetCsvLine(healthy, language).split(separator)).toHaveLength(names.length);
  }
});

test('null is an empty cell, a time is ISO 8601, and zero is a number', () => {
  expect(fleetCsvLine(healthy, 'en')).toBe(
    'acme,,acme.example.com,t,p,active,,,,,0,1970-01-01T00:00:00.000Z,,,,,0\r\n',
  );
});

test('separators, quotes and line ends are quoted', () => {
  expect(cellOf('a,b')).toBe('"a,b"');
  expect(cellOf('a;b')).toBe('"a;b"');
  expect(cellOf('say "x"')).toBe('"say ""x"""');
  expect(cellOf('one\ntwo')).toBe('"one\ntwo"');
});

test.each([
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', '"\'\t\'=1"'],
  ['\r=1', '"\'\r\'=1"'],
  ['\n=1', '"\'\n\'=1"'],
  ['\tx', '"\'\tx"'],
  [' =1', "' =1"],
  ['x;=1+1', '"x;\'=1+1"'],
  ['x,=1+1', '"x,\'=1+1"'],
  ['x\t=1+1', '"x\t\'=1+1"'],
  ['x\r\n@A1', '"x\r\'\n\'@A1"'],
  ['x; -1;+1', '"x;\' -1;\'+1"'],
  ['x;"=1+1"', '"x;\'""=1+1"""'],
  ['＝1', "'＝1"],
  ['=HYPERLINK("a","b")', '"\'=HYPERLINK(""a"",""b"")"'],
])('F31: %j is no formula in a spreadsheet, however it splits the line', (name, cell) => {
  expect(cellOf(name)).toBe(cell);
});

test('F31: no separator makes a formula of a part of a cell, in any language', () => {
  const parts = ['', 'x', '=1+1', '+1', '-1', '@A1', '"=1', ' =1'];
  const texts = parts.flatMap((first) =>
    [',', ';', '\t', '\r', '\n', '\r\n'].flatMap((between) =>
      parts.map((second) => `${first}${between}${second}`),
    ),
  );
  for (const language of ['en', 'de'] as const) {
    for (const name of texts) {
      const line = fleetCsvLine({ ...healthy, name }, language).trimEnd();
      // As a spreadsheet splits that separates by another character, and finds quotes only at the beginning of a cell.
      for (const cell of line.split(/[,;\t\r\n]/)) expect(cell).not.toMatch(/^["\s]*[=+\-@]/);
    }
  }
});

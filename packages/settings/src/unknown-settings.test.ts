import { describe, expect, test } from 'vitest';
import { otherVariables } from './other-variables.ts';
import { describeUnknownSettings } from './unknown-settings.ts';

const dowel = {
  DOWEL: [
    'DOWEL_PORT',
    'DOWEL_HOST',
    'DOWEL_TRUST',
    'DOWEL_PUBLIC_URL',
    'DOWEL_HISTORY_DAYS',
    'DOWEL_LOG_LEVEL',
    'DOWEL_OIDC_ROLES',
    'DOWEL_DATABASE_URL',
    'DOWEL_DATABASE_URL_FILE',
  ],
};
const both = { ...dowel, EMULATOR: ['EMULATOR_PORT', 'EMULATOR_HOST'] };

describe('describeUnknownSettings', () => {
  test.each([
    ['DOWEL_TRSUT', 'DOWEL_TRUST'],
    ['DOWEL_TRUSTS', 'DOWEL_TRUST'],
    ['DOWEL_TRUST_RULES', 'DOWEL_TRUST'],
    ['DOWEL_HISTORY', 'DOWEL_HISTORY_DAYS'],
    ['dowel_trust', 'DOWEL_TRUST'],
    ['Dowel_Trust', 'DOWEL_TRUST'],
    ['DOWELTRUST', 'DOWEL_TRUST'],
    ['DOWL_TRUST', 'DOWEL_TRUST'],
    ['DOWEL_PUBLICURL', 'DOWEL_PUBLIC_URL'],
    ['DOWEL_DATABASE_URI', 'DOWEL_DATABASE_URL'],
    ['DOWEL_PORTS', 'DOWEL_PORT'],
    ['EMULATOR_PROT', 'EMULATOR_PORT'],
  ])('%s gets the nearest name, %s, as a suggestion', (name, nearest) => {
    expect(describeUnknownSettings({ [name]: 'x' }, both)).toEqual([
      `${name} is not a setting: did you mean ${nearest}?`,
    ]);
  });

  test('a name that resembles no setting gets the full list', () => {
    expect(describeUnknownSettings({ DOWEL_COLOUR_OF_THE_PAGES: 'red' }, dowel)).toEqual([
      `DOWEL_COLOUR_OF_THE_PAGES is not a setting. There are: ${dowel.DOWEL.join(', ')}`,
    ]);
  });

  test('the prefix counts in any case', () => {
    expect(describeUnknownSettings({ dowel_colour_of_pages: 'red' }, dowel)).toHaveLength(1);
  });

  test('every setting, every variable of the tests and every other prefix is accepted', () => {
    const own = [...both.DOWEL, ...both.EMULATOR, ...otherVariables];
    const foreign = ['PATH', 'HOST', 'PORT', 'NODE_ENV', 'DATABASE_URL', 'DOWELL', 'TOWEL_PORT'];
    const environment = Object.fromEntries([...own, ...foreign].map((name) => [name, 'x']));

    expect(describeUnknownSettings(environment, both)).toEqual([]);
  });

  test('a program checks only its own settings, and ignores empty ones', () => {
    expect(describeUnknownSettings({ EMULATOR_PROT: '1', DOWEL_TRSUT: '' }, dowel)).toEqual([]);
  });

  test('variables that Kubernetes sets for a service named dowel are accepted, a misspelt setting of that form is not', () => {
    const ofService = {
      DOWEL_SERVICE_HOST: '10.0.0.1',
      DOWEL_SERVICE_PORT: '80',
      DOWEL_SERVICE_PORT_HTTP: '80',
      DOWEL_PORT_80_TCP: 'tcp://10.0.0.1:80',
      DOWEL_PORT_80_TCP_PROTO: 'tcp',
      DOWEL_BFF_PORT: 'tcp://10.0.0.1:80',
    };

    expect(describeUnknownSettings(ofService, dowel)).toEqual([]);
    expect(describeUnknownSettings({ DOWEL_PROT_80_TCP: 'x' }, dowel)).toHaveLength(1);
  });

  test.each(['\uFEFF', '\u200B', '\u00A0', '\u2060', '\u00AD'])(
    'a setting with the invisible character %j in its name is named',
    (hidden) => {
      for (const [before, after] of [
        [hidden, ''],
        ['', hidden],
      ]) {
        for (const name of ['DOWEL_PORT', 'DOWEL_DATABASE_URL_FILE', 'NODE_ENV']) {
          expect(describeUnknownSettings({ [`${before}${name}${after}`]: 'x' }, dowel)).toEqual([
            `${name} has an invisible character in its name: delete the name and type it again`,
          ]);
        }
        expect(describeUnknownSettings({ [`${before}DOWEL_TRSUT${after}`]: 'x' }, dowel)).toEqual([
          expect.stringContaining('did you mean DOWEL_TRUST?'),
        ]);
        expect(describeUnknownSettings({ [`${before}PATH${after}`]: 'x' }, dowel)).toEqual([]);
      }
    },
  );

  test.each(['\uFEFFinfo', 'info\u200B', '\u00A0info ', 'info\u2060\n'])(
    'a setting whose value begins or ends with an invisible character is named: %j',
    (value) => {
      expect(describeUnknownSettings({ DOWEL_LOG_LEVEL: value, PATH: value }, dowel)).toEqual([
        'DOWEL_LOG_LEVEL must not begin or end with an invisible character: type the value again',
      ]);
    },
  );

  test('blanks and line breaks around a value, and invisible characters inside, are left to the setting', () => {
    const environment = { DOWEL_OIDC_ROLES: ' admin=a\u200Db\n', DOWEL_HOST: '\t ' };

    expect(describeUnknownSettings(environment, dowel)).toEqual([]);
  });

  test('a line contains neither a value nor control sequences for a terminal', () => {
    const [line] = describeUnknownSettings({ 'DOWEL_TRSUT\u001b[2J': 's3cret' }, dowel);

    expect(line).toMatch(/^DOWEL_TRSUT\?\[2J is not a setting/);
    expect(line).not.toContain('s3cret');
  });
});

import { describe, expect, test } from 'vitest';
import { configField, entryPoint, manifest } from '../testing/samples.ts';
import { parseManifest } from './parse-manifest.ts';

const url = 'https://plugin.example/app/manifest.json';
const { apiAccess, lifecycle } = manifest;

function warningsOf(changes: object, manifestUrl = url): string[] {
  const result = parseManifest(JSON.stringify({ ...manifest, ...changes }), manifestUrl);
  expect(result.ok).toBe(true);
  expect(result.warnings.every(({ message, fix }) => message && fix)).toBe(true);
  return result.warnings.map(({ code, pointer }) => `${code} ${pointer}`);
}

const warningsOfApiUrl = (apiUrl: string) =>
  warningsOf({ apiAccess: { ...apiAccess, url: apiUrl } });
const warningsOfField = (changes: object) =>
  warningsOf({ config: [{ ...configField, ...changes }] });

describe('a base URL', () => {
  test.each([
    ['lifecycle', ['BASE_URL_WITHOUT_SLASH /apiAccess/url']],
    ['lifecycle/access_token', ['BASE_URL_ENDS_IN_EVENT /apiAccess/url']],
    ['lifecycle/access_token/', ['BASE_URL_ENDS_IN_EVENT /apiAccess/url']],
    ['access_token/hooks/', []],
    ['lifecycle/?x=1', ['BASE_URL_WITH_QUERY /apiAccess/url']],
    ['lifecycle/#x', ['BASE_URL_WITH_QUERY /apiAccess/url']],
    ['lifecycle/?', ['BASE_URL_WITH_QUERY /apiAccess/url']],
    ['lifecycle/#', ['BASE_URL_WITH_QUERY /apiAccess/url']],
    ['https://other.example/', ['URL_FOREIGN_ORIGIN /apiAccess/url']],
    ['https://plugin.example:8443/', ['URL_FOREIGN_ORIGIN /apiAccess/url']],
    [
      'http://plugin.example/',
      ['URL_INSECURE /apiAccess/url', 'URL_FOREIGN_ORIGIN /apiAccess/url'],
    ],
    ['http://localhost:1/', ['URL_FOREIGN_ORIGIN /apiAccess/url']],
    ['http://127.0.0.1:1/', ['URL_FOREIGN_ORIGIN /apiAccess/url']],
    ['http://[::1]:1/', ['URL_FOREIGN_ORIGIN /apiAccess/url']],
    [
      'http://localhost.evil.test/',
      ['URL_INSECURE /apiAccess/url', 'URL_FOREIGN_ORIGIN /apiAccess/url'],
    ],
    ['https://plugin.example/x/', []],
    ['../', []],
  ])('%s: %j', (apiUrl, warnings) => {
    expect(warningsOfApiUrl(apiUrl)).toEqual(warnings);
  });

  test('of the lifecycle follows the same rules, and pages need no slash', () => {
    expect(warningsOf({ lifecycle: { ...lifecycle, url: 'events/install' } })).toEqual([
      'BASE_URL_ENDS_IN_EVENT /lifecycle/url',
    ]);
    expect(warningsOf({ entryPoints: [{ ...entryPoint, url: 'page.html?x=1' }] })).toEqual([]);
  });

  test('that is relative is not insecure when the manifest is on localhost', () => {
    expect(warningsOf({}, 'http://localhost:4310/manifest.json')).toEqual([]);
  });
});

describe('versions and events', () => {
  test.each([
    [{ manifestVersion: '3.0.0' }, 'MANIFEST_VERSION_UNKNOWN /manifestVersion'],
    [{ manifestVersion: '2.1.0' }, 'MANIFEST_VERSION_UNKNOWN /manifestVersion'],
    [{ manifestVersion: '2.4.0' }, 'API_ACCESS_VERSION_OLD /manifestVersion'],
    [{ lifecycle: undefined }, 'API_ACCESS_WITHOUT_LIFECYCLE /apiAccess'],
    [{ context: ['userName', 'userName'] }, 'ENTRY_DUPLICATE /context/1'],
    [{ data: ['userName'] }, 'CONTEXT_NAMED_DATA /data'],
    [{ contxt: ['userName'] }, 'FIELD_UNKNOWN /contxt'],
    [{ entryPoints: [{ ...entryPoint, hieght: 1 }] }, 'FIELD_UNKNOWN /entryPoints/0/hieght'],
  ])('%j: %s', (changes, warning) => {
    expect(warningsOf(changes)).toEqual([warning]);
  });

  test.each(['0.7.0', '2.0.0', '2.2.0', '2.3.0', '2.4.0', '2.5.0'])(
    '%s is a known version',
    (manifestVersion) => {
      expect(warningsOf({ manifestVersion, apiAccess: undefined })).toEqual([]);
    },
  );

  test('each event that is not requested is reported', () => {
    expect(warningsOf({ lifecycle: { ...lifecycle, events: ['install', 'install'] } })).toEqual([
      'LIFECYCLE_EVENT_MISSING /lifecycle/events',
      'INSTANCE_EVENT_MISSING /lifecycle/events',
      'INSTANCE_EVENT_MISSING /lifecycle/events',
      'ENTRY_DUPLICATE /lifecycle/events/1',
    ]);
  });
});

describe('a configuration field', () => {
  test.each([
    'password',
    'clientSecret',
    'access_token',
    'api-key',
    'API key',
    'Kennwort',
    'smtpPwd',
  ])('with the key %s looks like a secret', (key) => {
    expect(warningsOfField({ key })).toEqual(['CONFIG_SECRET_EXPOSED /config/0/key']);
  });

  test('looks like a secret by its label, also in an entry point', () => {
    const config = [{ ...configField, label: { en: 'X', de: 'API-Schlüssel' } }];

    expect(warningsOf({ entryPoints: [{ ...entryPoint, config }] })).toEqual([
      'CONFIG_SECRET_EXPOSED /entryPoints/0/config/0/key',
    ]);
  });

  test.each(['city', 'secretary', 'passage', 'keyboard', 'monkeys'])(
    'with the key %s does not',
    (key) => {
      expect(warningsOfField({ key })).toEqual([]);
    },
  );

  test.each(['Near the sea', { en: 'Near the sea' }])(
    'may describe its options, as the platform documents: %j',
    (description) => {
      const options = [{ value: 'a', label: { en: 'A' }, description }];

      expect(warningsOfField({ type: 'select', options })).toEqual([]);
    },
  );

  test('of an unknown type is reported', () => {
    expect(warningsOfField({ type: 'colour' })).toEqual(['CONFIG_TYPE_UNKNOWN /config/0/type']);
  });
});

describe('texts', () => {
  test.each([
    [{ name: { de: 'Anstupser' } }, ['TEXT_WITHOUT_ENGLISH /name']],
    [{ name: {} }, ['TEXT_WITHOUT_ENGLISH /name']],
    [{ name: { 'en-GB': 'Nudge' } }, []],
    [{ name: { en: 'Nudge', DE: 'Anstupser' } }, ['LANGUAGE_UNUSUAL /name/DE']],
    [{ description: { fr: 'x' } }, ['TEXT_WITHOUT_ENGLISH /description']],
    [
      { entryPoints: [{ ...entryPoint, name: { de: 'x' } }] },
      ['TEXT_WITHOUT_ENGLISH /entryPoints/0/name'],
    ],
  ])('%j: %j', (changes, warnings) => {
    expect(warningsOf(changes)).toEqual(warnings);
  });
});

test('a misspelt name of the context is reported, and an unknown one is not', () => {
  const context = ['userNam', 'useremail', 'userLanguage', 'userDepartment', 'tenantName'];
  expect(warningsOf({ context })).toEqual([
    'CONTEXT_MISSPELT /context/0',
    'CONTEXT_MISSPELT /context/1',
  ]);
});

test('a lifecycle that does not fit the schema is not reported as missing', () => {
  const text = JSON.stringify({ ...manifest, lifecycle: { ...lifecycle, events: ['update'] } });

  expect(parseManifest(text, url).warnings).toEqual([]);
});

test('warnings are in the order of the text and refer to names', () => {
  const text = JSON.stringify({ flavour: 1, ...manifest, name: { de: 'x' } }, null, 2);

  const { warnings } = parseManifest(text, url);

  expect(warnings.map(({ code, line, column }) => [code, line, column])).toEqual([
    ['FIELD_UNKNOWN', 2, 3],
    ['TEXT_WITHOUT_ENGLISH', 5, 3],
  ]);
});

/** The fixes of problems and warnings. */
function fixesOf(changes: object): string[] {
  const text = JSON.stringify({ ...manifest, ...changes });
  const result = parseManifest(text, url);
  return [...(result.ok ? [] : result.problems), ...result.warnings].map(({ fix }) => fix);
}

describe('did you mean', () => {
  test.each([
    [{ context: undefined, contxt: [] }, '"context"'],
    [{ thumbNail: 'a.png' }, '"thumbnail"'],
    [{ entryPoints: [{ ...entryPoint, configURL: 'config/' }] }, '"configUrl"'],
    [{ config: [{ ...configField, option: ['a'] }] }, '"options"'],
    [{ config: [{ ...configField, options: [{ lable: 'A' }] }] }, '"label"'],
    [{ config: [{ ...configField, type: 'chekbox' }] }, '"checkbox"'],
    [
      {
        apiAccess: {
          ...apiAccess,
          client: { mode: ['authorization_code'], scope: ['plugin:notfy'] },
        },
      },
      '"plugin:notify"',
    ],
    [{ lifecycle: { ...lifecycle, events: [...lifecycle.events, 'un_install'] } }, '"uninstall"'],
  ])('%j: %s', (changes, meant) => {
    expect(fixesOf(changes)).toEqual([`Did you mean ${meant}?`]);
  });

  test('names the field that a misspelt one leaves missing', () => {
    const { lifecycle: lifecyle, ...rest } = manifest;

    const { warnings } = parseManifest(JSON.stringify({ ...rest, lifecyle }), url);

    expect(warnings.map(({ pointer, fix }) => `${pointer} ${fix}`)).toContain(
      '/lifecyle Did you mean "lifecycle"?',
    );
  });

  test.each([
    [{ Name: {} }, 'Check its spelling, or remove it.'],
    [{ author: 'Ada' }, 'Check its spelling, or remove it.'],
    [
      { config: [{ ...configField, type: 'colour' }] },
      'Write one of: "text", "number", "checkbox", "radio", "select".',
    ],
  ])('is not asked where the field exists, or nothing resembles it: %j', (changes, fix) => {
    expect(fixesOf(changes)).toEqual([fix]);
  });
});

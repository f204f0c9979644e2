import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { configField, manifest } from '../testing/samples.ts';
import { type ParsedManifest, parseManifest } from './parse-manifest.ts';

const url = 'https://plugin.example/app/manifest.json';

function withClient(changes: object) {
  return { ...manifest.apiAccess, client: { ...manifest.apiAccess.client, ...changes } };
}

function problemsOf(result: ParsedManifest) {
  return result.ok ? [] : result.problems;
}

describe('parseManifest', () => {
  test('finds nothing wrong in the sample plug-in’s manifest', async () => {
    const text = await readFile(new URL('../../../../manifest.json', import.meta.url), 'utf8');

    expect(parseManifest(text, 'http://localhost:4310/manifest.json')).toEqual({
      ok: true,
      manifest: JSON.parse(text),
      warnings: [],
    });
  });

  test('says what is wrong, where, and how to fix it', () => {
    const text = JSON.stringify(manifest, null, 2).replace('"plugin:notify"', '"admin"');

    expect(parseManifest(text, url)).toEqual({
      ok: false,
      problems: [
        {
          code: 'FIELD_VALUE_WRONG',
          pointer: '/apiAccess/client/scope/0',
          line: 29,
          column: 9,
          message: 'The platform does not know this value.',
          fix: 'Write one of: "plugin:notify".',
        },
      ],
      warnings: [],
    });
  });

  test.each([
    [{ pluginVersion: undefined }, 'FIELD_MISSING', '/pluginVersion', /Add it.*"1\.0\.0"/],
    [{ pluginVersion: 1 }, 'FIELD_TYPE_WRONG', '/pluginVersion', /Semantic version/],
    [{ pluginVersion: 'one' }, 'FIELD_VALUE_WRONG', '/pluginVersion', /Semantic version/],
    [{ name: ['x'] }, 'FIELD_TYPE_WRONG', '/name', /One text for each language/],
    [{ name: { 'a/b~': 1 } }, 'FIELD_TYPE_WRONG', '/name/a~1b~0', /type/],
    [{ entryPoints: {} }, 'FIELD_TYPE_WRONG', '/entryPoints', /at least one/],
    [
      { lifecycle: { url: '/', events: ['access_token'] } },
      'ACCESS_TOKEN_LISTED',
      '/lifecycle/events/0',
      /apiAccess/,
    ],
    [
      { apiAccess: { ...manifest.apiAccess, url: 'https://plugin.example:99999/' } },
      'URL_INVALID',
      '/apiAccess/url',
      /https:/,
    ],
    [
      { apiAccess: withClient({ scope: ['plugin:notify', 'plugin:notify'] }) },
      'API_ACCESS_ENTRY_DUPLICATE',
      '/apiAccess/client/scope/1',
      /Remove it/,
    ],
    [
      { apiAccess: withClient({ mode: ['authorization_code', 'authorization_code'] }) },
      'API_ACCESS_ENTRY_DUPLICATE',
      '/apiAccess/client/mode/1',
      /Remove it/,
    ],
    [
      { config: [{ key: 'a', type: 'radio', label: { en: 'A' } }] },
      'CONFIG_OPTIONS_MISSING',
      '/config/0',
      /options/,
    ],
  ])('with %j the problem is %s at %s', (changes, code, pointer, fix) => {
    const problems = problemsOf(parseManifest(JSON.stringify({ ...manifest, ...changes }), url));

    expect(problems).toMatchObject([{ code, pointer }]);
    expect(problems[0]?.fix).toMatch(fix);
  });

  test.each(['[]', 'null', '"manifest"', '1'])('%s is not a manifest', (text) => {
    expect(problemsOf(parseManifest(text, url))).toMatchObject([
      { code: 'FIELD_TYPE_WRONG', pointer: '', line: 1, column: 1 },
    ]);
  });

  test('says of a number that is too large what is wrong with it', () => {
    const text = JSON.stringify({ ...manifest, config: [{ ...configField, minLength: 7 }] });
    const result = parseManifest(text.replace('"minLength":7', '"minLength":1e999'), url);

    expect(problemsOf(result)).toMatchObject([
      { message: 'Expected a number, found a number that is too large.' },
    ]);
  });

  test('says of an empty list that it is empty, in our own words', () => {
    const result = parseManifest(JSON.stringify({ ...manifest, entryPoints: [] }), url);

    expect(problemsOf(result)).toMatchObject([{ message: 'This is empty.' }]);
  });

  test('a syntax error hides neither other problems nor warnings', () => {
    const text = JSON.stringify({ ...manifest, pluginVersion: 1, flavour: 'new' });
    const result = parseManifest(text.replace(/}$/, ',}'), url);

    expect(problemsOf(result).map(({ code }) => code)).toEqual([
      'FIELD_TYPE_WRONG',
      'JSON_TRAILING_COMMA',
    ]);
    expect(result.warnings).toMatchObject([{ code: 'FIELD_UNKNOWN', pointer: '/flavour' }]);
  });

  test('never repeats a value of the manifest', () => {
    const text = JSON.stringify({ ...manifest, pluginVersion: 'canary', name: 'canary' });

    expect(JSON.stringify(parseManifest(text, url))).not.toContain('canary');
  });

  test('256 KiB are read, and a byte more is not', () => {
    const text = (bytes: number) => JSON.stringify(manifest).padEnd(bytes);

    expect(parseManifest(text(256 * 1024), url).ok).toBe(true);
    for (const tooLong of [text(256 * 1024 + 1), `"${'€'.repeat(100_000)}"`]) {
      expect(problemsOf(parseManifest(tooLong, url))).toMatchObject([
        { code: 'MANIFEST_TOO_LONG' },
      ]);
    }
  });

  test('at most a hundred problems and a hundred warnings are reported', () => {
    const unknown = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`x${index}`, 1]));
    const text = JSON.stringify({ ...manifest, context: Array(200).fill(1), ...unknown });

    const result = parseManifest(text, url);

    expect(problemsOf(result)).toHaveLength(100);
    expect(result.warnings.length).toBeLessThanOrEqual(100);
  });

  test.each(['', 'manifest.json', 'file:///manifest.json', 'https://user@plugin.example/'])(
    'a manifest cannot have been read from %j',
    (wrong) => {
      expect(() => parseManifest('{}', wrong)).toThrow(TypeError);
    },
  );
});

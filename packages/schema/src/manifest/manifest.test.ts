import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { configField, entryPoint, manifest } from '../testing/samples.ts';
import { manifestSchema } from './manifest.ts';

/** The path of the first issue, or undefined when the manifest is accepted. */
function issueOf(changes: object): string | undefined {
  return manifestSchema.safeParse({ ...manifest, ...changes }).error?.issues[0]?.path.join('.');
}

const fieldIssue = (changes: object) => issueOf({ config: [{ ...configField, ...changes }] });
const entryIssue = (changes: object) => issueOf({ entryPoints: [{ ...entryPoint, ...changes }] });

describe('manifestSchema', () => {
  test('accepts the sample plug-in’s manifest', async () => {
    const text = await readFile(new URL('../../../../manifest.json', import.meta.url), 'utf8');

    expect(manifestSchema.parse(JSON.parse(text))).toMatchObject({
      apiAccess: { client: { mode: ['authorization_code'], scope: ['plugin:notify'] } },
    });
  });

  test('keeps unknown fields, at every level', () => {
    const entry = { ...entryPoint, flavour: { a: 1 } };

    const parsed = manifestSchema.parse({ ...manifest, flavour: 'new', entryPoints: [entry] });

    expect(parsed).toHaveProperty('flavour', 'new');
    expect(parsed.entryPoints[0]).toHaveProperty('flavour', { a: 1 });
  });

  test.each([
    [{ entryPoints: [] }, 'entryPoints'],
    [
      {
        apiAccess: {
          ...manifest.apiAccess,
          client: { mode: ['implicit'], scope: ['plugin:notify'] },
        },
      },
      'apiAccess.client.mode.0',
    ],
    [
      {
        apiAccess: {
          ...manifest.apiAccess,
          client: { mode: ['authorization_code'], scope: ['admin'] },
        },
      },
      'apiAccess.client.scope.0',
    ],
    [
      { apiAccess: { ...manifest.apiAccess, client: { mode: [], scope: [] } } },
      'apiAccess.client.mode',
    ],
    [{ lifecycle: { url: '/', events: ['access_token'] } }, 'lifecycle.events.0'],
    [{ lifecycle: { url: '/', events: ['update'] } }, 'lifecycle.events.0'],
    [{ manifestVersion: '2' }, 'manifestVersion'],
    [{ pluginVersion: '1.0' }, 'pluginVersion'],
    [{ pluginVersion: '01.0.0' }, 'pluginVersion'],
    [{ pluginVersion: '1.0.0-' }, 'pluginVersion'],
    [{ name: 'Nudge' }, 'name'],
    [{ name: { en: '' } }, 'name.en'],
    [{ context: ['userName', 1] }, 'context.1'],
    [{ thumbnail: 'data:image/png;base64,AA' }, 'thumbnail'],
  ])('refuses %j and says where', (changes, path) => {
    expect(issueOf(changes)).toBe(path);
  });

  test.each(['1.0.0', '0.0.1-alpha.1', '1.2.3+build.7', '10.20.30-rc-1+x'])(
    'accepts %s as a version of the plug-in',
    (pluginVersion) => {
      expect(issueOf({ pluginVersion })).toBeUndefined();
    },
  );
});

describe('an entry point', () => {
  test('has a form or a page for its configuration, not both', () => {
    expect(entryIssue({ config: [] })).toBeUndefined();
    expect(entryIssue({ configUrl: 'config/' })).toBeUndefined();
    expect(entryIssue({ config: [], configUrl: 'config/' })).toBe('entryPoints.0.configUrl');
  });

  test('has an id that no other has, in any case', () => {
    const other = { ...entryPoint, id: entryPoint.id.toUpperCase() };

    expect(issueOf({ entryPoints: [entryPoint, other] })).toBe('entryPoints.1.id');
  });

  test.each([
    { height: 100 },
    { height: '16:9' },
    { permissionsPolicy: 'fullscreen' },
    { permissionsPolicy: ['camera', 'geolocation'] },
  ])('with %j is accepted', (changes) => {
    expect(entryIssue(changes)).toBeUndefined();
  });

  test.each([
    [{ id: 'nudge' }, 'id'],
    [{ url: '' }, 'url'],
    [{ height: 0 }, 'height'],
    [{ height: '100' }, 'height'],
    [{ height: '16:0' }, 'height'],
    [{ permissionsPolicy: { camera: true } }, 'permissionsPolicy'],
    [{ permissionsPolicy: [1] }, 'permissionsPolicy'],
    [{ configUrl: '//evil.test/' }, 'configUrl'],
  ])('with %j is refused', (changes, path) => {
    expect(entryIssue(changes)).toBe(`entryPoints.0.${path}`);
  });
});

describe('a configuration field', () => {
  test.each(['select', 'radio'])('of type %s has options', (type) => {
    expect(fieldIssue({ type })).toBe('config.0');
    expect(fieldIssue({ type, options: [] })).toBe('config.0.options');
    expect(
      fieldIssue({ type, options: ['a', 1, { value: 'b', label: { en: 'B' } }] }),
    ).toBeUndefined();
  });

  test('of an unknown type is accepted unchanged', () => {
    expect(fieldIssue({ type: 'colour', default: { hue: 1 } })).toBeUndefined();
  });

  test('has a key that no other has', () => {
    expect(issueOf({ config: [configField, configField] })).toBe('config.1.key');
  });

  test.each([
    [{ pattern: '^[A-Z]+$' }, undefined],
    [{ pattern: '(' }, 'pattern'],
    [{ minLength: 1, maxLength: 1 }, undefined],
    [{ minLength: 2, maxLength: 1 }, 'minLength'],
    [{ default: 'x', minLength: 1, maxLength: 1 }, undefined],
    [{ default: 'x', minLength: 2 }, 'default'],
    [{ default: 'xy', maxLength: 1 }, 'default'],
    [{ default: 1 }, 'default'],
    [{ type: 'number', default: 1 }, undefined],
    [{ type: 'number', default: '1' }, 'default'],
    [{ type: 'checkbox', default: false }, undefined],
    [{ type: 'checkbox', default: 'false' }, 'default'],
    [{ type: 'select', options: ['a', { value: 'b' }], default: 'b' }, undefined],
    [{ type: 'select', options: ['a', { value: 'b' }], default: 'c' }, 'default'],
    [{ type: 'select', options: [{ key: 'b' }], default: 'c' }, undefined],
    [{ key: '__proto__' }, 'key'],
    [{ key: ' city' }, 'key'],
    [{ required: 'true' }, 'required'],
    [{ minLength: -1 }, 'minLength'],
  ])('with %j has its issue at %s', (changes, path) => {
    expect(fieldIssue(changes)).toBe(path && `config.0.${path}`);
  });

  test('never runs its pattern, so a pattern that never ends does no harm', () => {
    expect(fieldIssue({ pattern: '^(a+)+$', default: `${'a'.repeat(40)}!` })).toBeUndefined();
  });
});

/** The start reads of the manifest what it uses; what only the linter cares about is a warning. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Manifest, parseManifest } from '@dowel/schema';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { authorManifests } from '../testing/author-manifests.ts';
import { readSampleManifest } from '../testing/server-world.ts';
import { readManifest } from './read-manifest.ts';

const publicUrl = 'https://plugin.example';
const sample = await readSampleManifest();
const { lifecycle = { url: '' }, apiAccess = { url: '', client: {} } } = sample;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowel-manifest-'));
});
afterEach(() => rm(folder, { recursive: true }));

const withClient = (changes: object) => ({
  apiAccess: { ...apiAccess, client: { ...apiAccess.client, ...changes } },
});
const withEvents = (events: unknown) => ({ lifecycle: { ...lifecycle, events } });
const withEntry = (changes: object) => ({
  entryPoints: [{ ...sample.entryPoints[0], ...changes }],
});

/** Reads a manifest, with the code and the place of each line in the log. */
async function read(source: string | object) {
  const lines: string[] = [];
  const result = await readManifest(
    { source: source as string | Manifest, publicUrl, baseUrl: publicUrl, eventPath: undefined },
    {
      warn(...[fields, text]: [object | string, string?]) {
        const [, pointer] = /^manifest\.warning \S.*?:\d+:\d+ (\S*)/.exec(text ?? '') ?? [];
        lines.push(`${(fields as { code: string }).code} ${pointer}`);
      },
    },
  );
  return { ...result, lines };
}

/** The linter's verdict, and all that it finds. */
function lint(text: string) {
  const result = parseManifest(text, `${publicUrl}/manifest.json`);
  const found = [...(result.ok ? [] : result.problems), ...result.warnings];
  const findings = found.toSorted((a, b) => a.line - b.line || a.column - b.column);
  return { ok: result.ok, findings: findings.map(({ code, pointer }) => `${code} ${pointer}`) };
}

describe('a start tolerates what only the platform reads, and warns once of each finding', () => {
  test.each<[string[], object]>([
    [['FIELD_VALUE_WRONG /entryPoints/0/height'], withEntry({ height: 'auto' })],
    [['FIELD_TYPE_WRONG /entryPoints/0/permissionsPolicy'], withEntry({ permissionsPolicy: {} })],
    [['FIELD_TYPE_WRONG /entryPoints/0/url'], withEntry({ url: 1 })],
    [['FIELD_MISSING /entryPoints'], { entryPoints: undefined }],
    [['FIELD_TYPE_WRONG /entryPoints'], { entryPoints: {} }],
    [['FIELD_VALUE_WRONG /lifecycle/events/1'], withEvents(['install', 'update'])],
    [['ACCESS_TOKEN_LISTED /lifecycle/events/0'], withEvents(['access_token'])],
    [['FIELD_MISSING /lifecycle/events'], withEvents(undefined)],
    [['FIELD_VALUE_WRONG /apiAccess/client/mode/0'], withClient({ mode: ['implicit'] })],
    [
      ['FIELD_VALUE_WRONG /apiAccess/client/scope/1'],
      withClient({ scope: ['plugin:notify', 'plugin:read'] }),
    ],
    [['FIELD_MISSING /apiAccess/url', 'FIELD_MISSING /apiAccess/client'], { apiAccess: {} }],
    [['FIELD_MISSING /apiAccess/client'], { apiAccess: { url: apiAccess.url } }],
    [['FIELD_TYPE_WRONG /name', 'FIELD_TYPE_WRONG /description'], { name: 1, description: null }],
    [['FIELD_TYPE_WRONG /pluginVersion'], { pluginVersion: 1 }],
    [['FIELD_TYPE_WRONG /context', 'FIELD_TYPE_WRONG /thumbnail'], { context: 1, thumbnail: 5 }],
    [['FIELD_TYPE_WRONG /config'], { config: 'rubbish' }],
  ])('%j', async (findings, changes) => {
    const text = JSON.stringify({ ...sample, ...changes }, null, 2);

    const { lines } = await read(JSON.parse(text));

    expect(lines).toEqual(findings);
    expect(lint(text)).toEqual({ ok: false, findings });
  });

  test.each(Object.entries(authorManifests))('%s', async (_what, { manifest, findings }) => {
    const text = JSON.stringify(manifest);
    const file = join(folder, 'manifest.json');
    await writeFile(file, text);

    const { lines, manifestText } = await read(file);

    expect(manifestText).toBe(text);
    expect(lines).toEqual(findings);
    expect(lint(text).findings).toEqual(findings);
  });
});

describe('a start refuses a manifest that cannot be served', () => {
  test.each(['', '{', '[]', 'null', '// a comment\n{}', '{"name": 1, "name": 2}'])(
    'with the text %j',
    async (text) => {
      const file = join(folder, 'manifest.json');
      await writeFile(file, text);

      await expect(read(file)).rejects.toMatchObject({ name: 'ConfigError' });
    },
  );

  test.each<[RegExp, object]>([
    [/^the manifest:\d+:\d+ \/lifecycle Expected an object/, { lifecycle: 'hooks/' }],
    [/\/lifecycle\/url The field "url" is missing/, { lifecycle: { events: [] } }],
    [/\/lifecycle\/url Expected a string/, { lifecycle: { ...lifecycle, url: 1 } }],
    [/\/lifecycle\/url This is not/, { lifecycle: { url: 'https://x:99999/', events: [1] } }],
    [/\/apiAccess Expected an object, found null/, { apiAccess: null }],
    [/\/apiAccess\/url Expected a string/, { apiAccess: { ...apiAccess, url: null } }],
    [/\/apiAccess\/url This is not/, { apiAccess: { ...apiAccess, url: '//plugin.example/' } }],
    [/apiAccess\.url has a query/, { apiAccess: { ...apiAccess, url: 'hooks/?a' } }],
    [/would post access_token/, { apiAccess: { ...apiAccess, url: 'https://other.example/' } }],
    // With more findings before it than are reported.
    [
      /^\S+ manifest:\d+:\d+ \/apiAccess\/url [^\n]+$/,
      { context: Array(200).fill(1), apiAccess: { url: 1 } },
    ],
  ])('%s', async (message, changes) => {
    await expect(read({ ...sample, ...changes })).rejects.toMatchObject({
      name: 'ConfigError',
      message: expect.stringMatching(message),
    });
  });
});

describe('a start uses of the manifest', () => {
  test.each<[object, object]>([
    [{ name: { en: 'Nudge', de: 5, fr: '' } }, { name: { en: 'Nudge' } }],
    [{ name: 'Nudge' }, { name: { en: 'Nudge' } }],
    [
      { name: 1, pluginVersion: 1 },
      { name: {}, pluginVersion: '' },
    ],
    [
      { name: undefined, pluginVersion: undefined },
      { name: {}, pluginVersion: '' },
    ],
  ])('with %j: %j', async (changes, used) => {
    expect((await read({ ...sample, ...changes })).manifest).toMatchObject(used);
  });

  test.each<[unknown, string[]]>([
    [
      ['plugin:notify', 'plugin:read'],
      ['plugin:notify', 'plugin:read'],
    ],
    ['plugin:notify', ['plugin:notify']],
    [['plugin:notify', 5, ''], ['plugin:notify']],
    [5, []],
    [undefined, []],
  ])('every scope that it names, of %j: %j', async (scope, requested) => {
    const { manifest } = await read({ ...sample, ...withClient({ scope }) });

    expect(manifest.apiAccess?.client.scope).toEqual(requested);
  });
});

/** For any problem of a manifest, people read our words and never the validation library's. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { configField, entryPoint, manifest } from '../testing/samples.ts';
import { parseManifest } from './parse-manifest.ts';

/** Replaces every sentence of zod's own. */
const zodsOwn = 'WORDS OF ZOD';
z.config({ localeError: () => zodsOwn });

const url = 'https://plugin.example/app/manifest.json';

type Json = Record<string, unknown> | unknown[];

/** Has every field that the schema knows. */
const fullField = {
  ...configField,
  placeholder: { en: 'Berlin' },
  description: { en: 'Where you are.' },
  options: ['a', 1, { value: 'b', label: { en: 'B' }, description: { en: 'The second' } }],
  default: 'a',
  required: true,
  minLength: 1,
  maxLength: 5,
  pattern: '^.*$',
};
const full = {
  $schema: 'manifest.schema.json',
  coyoVersion: '>=40',
  thumbnail: 'picture.png',
  ...manifest,
  config: [fullField],
  entryPoints: [
    { ...entryPoint, height: 100, permissionsPolicy: 'fullscreen', config: [fullField] },
  ],
};

const oddValues: readonly unknown[] = [
  null,
  true,
  '',
  ' ',
  '\u0000',
  'x',
  '://',
  'x'.repeat(5000),
  0,
  -1,
  1.5,
  1e300,
  [],
  {},
  [[]],
  [null],
  ['x'],
  [''],
  { '': '' },
  { en: '' },
  { en: 1 },
  { value: [] },
  ['x', 'x'],
];

function placesIn(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [path];
  const below = Object.keys(value).flatMap((name) =>
    placesIn(Reflect.get(value, name), [...path, Array.isArray(value) ? Number(name) : name]),
  );
  return [path, ...below];
}

type Change = (parent: Json, name: string | number) => void;

const changes: fc.Arbitrary<Change> = fc.oneof(
  fc.constantFrom(...oddValues).map(
    (value): Change =>
      (parent, name) => {
        Reflect.set(parent, name, structuredClone(value));
      },
  ),
  fc.jsonValue({ maxDepth: 2 }).map(
    (value): Change =>
      (parent, name) => {
        Reflect.set(parent, name, value);
      },
  ),
  fc.constant<Change>((parent, name) => {
    Reflect.deleteProperty(parent, name);
  }),
  fc.constant<Change>((parent, name) => {
    const value: unknown = Reflect.get(parent, name);
    if (Array.isArray(value)) value.push(...structuredClone(value));
  }),
);

function apply(value: Json, path: readonly (string | number)[], change: Change): void {
  const parent = path
    .slice(0, -1)
    .reduce<unknown>((each, name) => (isJson(each) ? Reflect.get(each, name) : undefined), value);
  const name = path.at(-1);
  if (isJson(parent) && name !== undefined) change(parent, name);
}

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** All problems of a manifest with every field, after two changes. */
function expectOurWords(mutations: [(string | number)[], Change][]): void {
  const mutated = structuredClone(full) as Json;
  for (const [path, change] of mutations) apply(mutated, path, change);
  const result = parseManifest(JSON.stringify(mutated), url);
  for (const { message, fix } of result.ok ? [] : result.problems) {
    expect(`${message} ${fix}`).not.toMatch(/WORDS OF ZOD|undefined|\bNaN\b|\[object/);
    expect(message).toMatch(/^\S.*\.$/s);
  }
}

describe('a problem of a manifest', () => {
  const places = placesIn(full).filter((path) => path.length > 0);

  test('is put in our own words for each odd value in each place', () => {
    for (const path of places) {
      for (const value of oddValues) {
        expectOurWords([
          [path, (parent, name) => Reflect.set(parent, name, structuredClone(value))],
        ]);
      }
      expectOurWords([[path, (parent, name) => Reflect.deleteProperty(parent, name)]]);
    }
  });

  test('is put in our own words for any changes', () => {
    const mutation = fc.tuple(fc.constantFrom(...places), changes);
    fc.assert(fc.property(fc.array(mutation, { minLength: 1, maxLength: 3 }), expectOurWords), {
      numRuns: process.env.DOWEL_TESTS === 'all' ? 3000 : 750,
    });
  });
});

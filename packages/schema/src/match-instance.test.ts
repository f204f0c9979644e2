import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  describeSrc,
  findNamedPlugin,
  guessInstanceId,
  type InstanceCandidates,
  matchInstance,
} from './match-instance.ts';

const tenantId = '0b1c2d3e-0000-4000-8000-00000000000a';
const [pluginId, otherPlugin] = [
  '11111111-1111-4111-8111-111111111111',
  '22222222-2222-4222-8222-222222222222',
];
const [one, two, third] = [
  'aaaaaaaa-1111-4111-8111-aaaaaaaaaaaa',
  'bbbbbbbb-2222-4222-8222-bbbbbbbbbbbb',
  'cccccccc-3333-4333-8333-cccccccccccc',
];
const foreign = 'ffffffff-9999-4999-8999-ffffffffffff';

const single: InstanceCandidates = { tenantId, installations: [{ pluginId, instanceIds: [one] }] };
const several: InstanceCandidates = {
  tenantId,
  installations: [
    { pluginId, instanceIds: [one, two] },
    { pluginId: otherPlugin, instanceIds: [third] },
  ],
};
const named = (...instanceIds: string[]): InstanceCandidates => ({
  tenantId,
  installations: [{ pluginId, instanceIds }],
});

test.each<[string, InstanceCandidates, string | undefined]>([
  // The instance alone.
  [one, several, one],
  [one.toUpperCase(), several, one],
  [third, several, third],
  // Composed with the tenant.
  [`${tenantId}_${one}`, several, one],
  [`${tenantId}-${one}`, several, one],
  [`${tenantId}:${one}`, several, one],
  [`${tenantId}/${one}`, several, one],
  [`${tenantId}.${one}`, several, one],
  [`${tenantId}|${one}`, several, one],
  [`${tenantId}${one}`, several, one],
  [`${one}_${tenantId}`, several, one],
  [`${tenantId}_${one.toUpperCase()}`, several, one],
  [`${tenantId.toUpperCase()}_${one}`, several, one],
  [`${tenantId}_${third}`, several, third],
  [`urn:${tenantId}:widget:${one}`, several, one],
  [`widget ${one}`, several, one],
  [`${tenantId}_${pluginId}_${two}`, several, two],
  [`${tenantId}_${otherPlugin}_${two}`, several, two],
  // The plug-in's id.
  [`${tenantId}_${pluginId}`, single, one],
  [pluginId, single, one],
  [pluginId.toUpperCase(), single, one],
  [`${tenantId}_${otherPlugin}`, several, third],
  [`${tenantId}_${pluginId}`, several, undefined],
  [`${pluginId}_${otherPlugin}`, several, undefined],
  [`${tenantId}_${pluginId}`, named(), undefined],
  // None, or more than one.
  [`${one}_${two}`, several, undefined],
  [`${one}_${third}`, several, undefined],
  [`${tenantId}_${foreign}`, several, undefined],
  [foreign, several, undefined],
  [tenantId, several, undefined],
  [`${tenantId}_${tenantId}`, several, undefined],
  ['', several, undefined],
  ['opaque-0815', single, undefined],
  [one.slice(0, -1), single, undefined],
  // Ids that are no UUIDs.
  ['i-1', named('i-1', 'i-10'), 'i-1'],
  [`${tenantId}_i-10`, named('i-1', 'i-10'), 'i-10'],
  [`${tenantId}_17`, named('17'), '17'],
  [`${tenantId}_117`, named('17'), undefined],
  [`${tenantId}_a`, named('a'), 'a'],
  // An instance that is called like its tenant.
  [`${tenantId}_x`, named(tenantId), undefined],
  ['any', { tenantId, installations: [] }, undefined],
])('the src %j of %o is the instance %s', (src, candidates, expected) => {
  expect(matchInstance(src, candidates)?.instanceId).toBe(expected);
});

describe('for any src', () => {
  const separator = fc.constantFrom('_', '-', ':', '/', '', ' ', '.');
  const part = fc.oneof(
    fc.constantFrom(tenantId, tenantId.toUpperCase(), foreign, 'x', 'page'),
    fc.string({ maxLength: 8 }),
  );
  const around = fc.array(part, { maxLength: 4 });

  test('the tenant’s id never counts', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(tenantId, 'x')), separator, (parts, by) => {
        const candidates = named(tenantId, pluginId);
        const src = [tenantId, ...parts, 'x'].join(by);
        expect(matchInstance(src, candidates)).toBeUndefined();
        expect(guessInstanceId(src, tenantId)).toBe(src);
      }),
    );
  });

  test('two matches are none', () => {
    fc.assert(
      fc.property(around, separator, (parts, by) => {
        expect(matchInstance([one, ...parts, two].join(by), several)).toBeUndefined();
      }),
    );
  });

  test('only a placed instance of the tenant’s own candidates matches', () => {
    fc.assert(
      fc.property(around, separator, (parts, by) => {
        const src = [...parts, foreign].join(by);
        expect(matchInstance(src, several)).toBeUndefined();
        expect(matchInstance(`${src}_${one}`, several)?.instanceId).toBe(one);
      }),
    );
  });

  test('its described form has no part of a value', () => {
    const value = fc.stringMatching(/^[g-z0-9]{6,20}$/);
    fc.assert(
      fc.property(value, separator, (secret, by) => {
        const shape = describeSrc([tenantId, secret].join(by), tenantId);
        expect(shape).not.toContain(secret);
        expect(shape).not.toContain(tenantId);
      }),
    );
  });
});

test('a src is described by the form of its parts', () => {
  expect(describeSrc(`${tenantId}_${one}`, tenantId)).toBe('<tenantId>_<uuid>');
  expect(describeSrc(`${tenantId.toUpperCase()}-${one}`, tenantId)).toBe('<tenantId>-<uuid>');
  expect(describeSrc('wall.42', tenantId)).toBe('<text 4>.<text 2>');
  expect(describeSrc('x:'.repeat(200), tenantId)).toHaveLength(120);
});

test('a src that matches nothing stands for its last UUID that is not the tenant’s', () => {
  expect(guessInstanceId(`${one}_${foreign}_${tenantId}`, tenantId)).toBe(foreign);
  expect(guessInstanceId('wall-42', tenantId)).toBe('wall-42');
});

test('an installation is named by its plug-in id, if src has no other', () => {
  const { installations } = several;
  const find = (src: string) => findNamedPlugin(src, { tenantId, installations })?.pluginId;

  expect(find(`${tenantId}_${otherPlugin}`)).toBe(otherPlugin);
  expect(find(`${pluginId}_${otherPlugin}`)).toBeUndefined();
  expect(find(tenantId)).toBeUndefined();
});

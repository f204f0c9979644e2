import { describe, expect, test } from 'vitest';
import { describeDrift } from './describe-drift.ts';
import { initClaimsSchema } from './init-claims.ts';
import { accessTokenEventSchema, installEventSchema } from './lifecycle-events.ts';
import { manifestSchema } from './manifest/manifest.ts';
import {
  accessTokenEvent,
  entryPoint,
  eventClaims,
  initClaims,
  manifest,
  withPrototypeMember,
} from './testing/samples.ts';

const installEvent = { ...eventClaims, sub: 'install' };

describe('describeDrift', () => {
  test('has nothing to say of what the schema knows', () => {
    expect(describeDrift(installEventSchema, { ...installEvent, certificate: 'PEM' })).toEqual([]);
    expect(describeDrift(accessTokenEventSchema, accessTokenEvent)).toEqual([]);
    expect(describeDrift(initClaimsSchema, { ...initClaims, 'stt.edit': true })).toEqual([]);
    expect(describeDrift(manifestSchema, manifest)).toEqual([]);
  });

  test('names unknown members and their types, inside known ones too', () => {
    const client = { ...accessTokenEvent.client, region: { eu: true } };
    const event = { ...accessTokenEvent, client, a: 'x', b: 1, c: true, d: null, e: [], f: {} };

    expect(describeDrift(accessTokenEventSchema, event)).toEqual([
      { pointer: '/client/region', type: 'object' },
      { pointer: '/a', type: 'string' },
      { pointer: '/b', type: 'number' },
      { pointer: '/c', type: 'boolean' },
      { pointer: '/d', type: 'null' },
      { pointer: '/e', type: 'array' },
      { pointer: '/f', type: 'object' },
    ]);
  });

  test('tells context that no schema names from the plug-in’s own configuration', () => {
    const claims = { ...initClaims, 'ctx.groups': [], 'cfg.anything': 1 };

    expect(describeDrift(initClaimsSchema, claims)).toEqual([
      { pointer: '/ctx.groups', type: 'array' },
    ]);
  });

  test('says the same place of every item once', () => {
    const entryPoints = [1, 2, 3].map((size) => ({ ...entryPoint, size }));

    expect(describeDrift(manifestSchema, { ...manifest, entryPoints })).toEqual([
      { pointer: '/entryPoints/*/size', type: 'number' },
    ]);
  });

  test('never holds a value', () => {
    const drift = describeDrift(accessTokenEventSchema, {
      ...accessTokenEvent,
      extra: 'canary',
      client: { ...accessTokenEvent.client, extra: ['canary'] },
    });

    expect(drift).toHaveLength(2);
    expect(JSON.stringify(drift)).not.toContain('canary');
  });

  test('is short and printable, whatever the names', () => {
    const names = ['x'.repeat(10_000), 'a\r\nb', '\u0000', '\u202e', 'a/b~c', '', 'constructor'];
    const hostile = Object.fromEntries(names.map((name) => [name, 1]));

    const pointers = describeDrift(installEventSchema, { ...installEvent, ...hostile }).map(
      ({ pointer }) => pointer,
    );

    expect(pointers).toEqual([
      `/${'x'.repeat(64)}…`,
      '/a\uFFFD\uFFFDb',
      '/\uFFFD',
      '/a~1b~0c',
      '/',
      '/constructor',
    ]);
  });

  test('names __proto__ and changes no prototype', () => {
    expect(describeDrift(installEventSchema, withPrototypeMember(installEvent))).toEqual([
      { pointer: '/__proto__', type: 'object' },
    ]);
    expect('isAdmin' in {}).toBe(false);
  });

  test('stops at twenty', () => {
    const many = Object.fromEntries(
      Array.from({ length: 100_000 }, (_, index) => [`m${index}`, 1]),
    );

    expect(describeDrift(installEventSchema, many)).toHaveLength(20);
  });

  test.each([null, undefined, 'text', 1, []])('takes %j for no drift', (value) => {
    expect(describeDrift(installEventSchema, value)).toEqual([]);
  });
});

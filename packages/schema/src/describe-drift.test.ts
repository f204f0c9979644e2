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

/** With the names revealed. Only tests may do that. */
const revealed = (...drift: Parameters<typeof describeDrift>) =>
  describeDrift(...drift).map(({ pointer, name, type }) => [pointer, name.reveal(), type]);

describe('describeDrift', () => {
  test('reports nothing that the schema knows', () => {
    expect(describeDrift(installEventSchema, { ...installEvent, certificate: 'PEM' })).toEqual([]);
    expect(describeDrift(accessTokenEventSchema, accessTokenEvent)).toEqual([]);
    expect(describeDrift(initClaimsSchema, { ...initClaims, 'stt.edit': true })).toEqual([]);
    expect(describeDrift(manifestSchema, manifest)).toEqual([]);
  });

  test('reports places and types of unknown members, also inside known ones', () => {
    const client = { ...accessTokenEvent.client, region: { eu: true } };
    const event = { ...accessTokenEvent, client, a: 'x', b: 1, c: true, d: null, e: [], f: {} };

    expect(revealed(accessTokenEventSchema, event)).toEqual([
      ['/client/?', 'region', 'object'],
      ['/?', 'a', 'string'],
      ['/?', 'b', 'number'],
      ['/?', 'c', 'boolean'],
      ['/?', 'd', 'null'],
      ['/?', 'e', 'array'],
      ['/?', 'f', 'object'],
    ]);
  });

  test('distinguishes unknown context from the plug-in’s own configuration', () => {
    const claims = { ...initClaims, 'ctx.groups': [], 'cfg.anything': 1 };

    expect(revealed(initClaimsSchema, claims)).toEqual([['/?', 'ctx.groups', 'array']]);
  });

  test('reports the same place in several items once', () => {
    const entryPoints = [1, 2, 3].map((size) => ({ ...entryPoint, size }));

    expect(revealed(manifestSchema, { ...manifest, entryPoints })).toEqual([
      ['/entryPoints/*/?', 'size', 'number'],
    ]);
  });

  test('shows neither a value nor an unknown name', () => {
    const drift = describeDrift(accessTokenEventSchema, {
      ...accessTokenEvent,
      'canary-name': 'canary',
      client: { ...accessTokenEvent.client, extra: ['canary'] },
    });

    expect(drift).toHaveLength(2);
    expect(JSON.stringify(drift)).not.toContain('canary');
  });

  test('treats __proto__ like any other name, and changes no prototype', () => {
    expect(revealed(installEventSchema, withPrototypeMember(installEvent))).toEqual([
      ['/?', '__proto__', 'object'],
    ]);
    expect('isAdmin' in {}).toBe(false);
  });

  test('stops at twenty', () => {
    const many = Object.fromEntries(
      Array.from({ length: 100_000 }, (_, index) => [`m${index}`, 1]),
    );

    expect(describeDrift(installEventSchema, many)).toHaveLength(20);
  });

  test.each([null, undefined, 'text', 1, []])('reports no drift for %j', (value) => {
    expect(describeDrift(installEventSchema, value)).toEqual([]);
  });
});

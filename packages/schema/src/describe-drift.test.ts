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

/** With the names revealed, as only a test may. */
const revealed = (...drift: Parameters<typeof describeDrift>) =>
  describeDrift(...drift).map(({ pointer, name, type }) => [pointer, name.reveal(), type]);

describe('describeDrift', () => {
  test('has nothing to say of what the schema knows', () => {
    expect(describeDrift(installEventSchema, { ...installEvent, certificate: 'PEM' })).toEqual([]);
    expect(describeDrift(accessTokenEventSchema, accessTokenEvent)).toEqual([]);
    expect(describeDrift(initClaimsSchema, { ...initClaims, 'stt.edit': true })).toEqual([]);
    expect(describeDrift(manifestSchema, manifest)).toEqual([]);
  });

  test('tells the places of unknown members and their types, inside known ones too', () => {
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

  test('tells context that no schema names from the plug-in’s own configuration', () => {
    const claims = { ...initClaims, 'ctx.groups': [], 'cfg.anything': 1 };

    expect(revealed(initClaimsSchema, claims)).toEqual([['/?', 'ctx.groups', 'array']]);
  });

  test('says the same place of every item once', () => {
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

  test('takes __proto__ for a name like others, and changes no prototype', () => {
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

  test.each([null, undefined, 'text', 1, []])('takes %j for no drift', (value) => {
    expect(describeDrift(installEventSchema, value)).toEqual([]);
  });
});

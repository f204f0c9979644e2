import { describe, expect, test } from 'vitest';
import { decodePart, readClaims, toBytes } from './claims.ts';

function read(json: string) {
  return readClaims(Buffer.from(json).toString('base64url'));
}

const refused = expect.objectContaining({ code: 'ERR3' });

describe('claims', () => {
  test('with the flat names of the wire become objects without prototypes', () => {
    const claims = read(
      '{"iss":"a","ctx.userId":"u","cfg.colour":{"main":"red"},"cfg.list":[{"a":1}],"stt.edit":true}',
    );

    expect(claims).toEqual({
      iss: 'a',
      ctx: { userId: 'u' },
      cfg: { colour: { main: 'red' }, list: [{ a: 1 }] },
      stt: { edit: true },
    });
    const { ctx, cfg, stt } = claims as typeof claims & { cfg: { colour: object; list: object[] } };
    for (const branch of [claims, ctx, cfg, stt, cfg.colour, cfg.list[0]]) {
      expect(Object.getPrototypeOf(branch)).toBeNull();
    }
  });

  test('without context, configuration or state have empty ones', () => {
    expect(read('{"iss":"a"}')).toEqual({ iss: 'a', ctx: {}, cfg: {}, stt: {} });
  });

  test('are split at the first dot only, and only in their three groups', () => {
    const claims = read(
      '{"cfg.a.b":1,"cfg.a.c":2,"cfg.a":3,"other.name":4,"cfg.":5,"iss":"a","iss.length":6}',
    );

    expect(claims.cfg).toEqual({ 'a.b': 1, 'a.c': 2, a: 3, '': 5 });
    expect(claims).toMatchObject({ 'other.name': 4, 'iss.length': 6 });
  });

  test('may leave a user claim empty', () => {
    expect(read('{"ctx.userEmail":null,"ctx.userName":""}').ctx).toEqual({
      userEmail: null,
      userName: '',
    });
  });

  test.each(['ctx.userId', 'ctx.userName', 'ctx.userLanguage', 'ctx.tenantId'])(
    'with a %s that is not a text are refused',
    (name) => {
      for (const value of ['7', '0', 'false', '{}', '["u"]']) {
        expect(() => read(`{"${name}":${value}}`)).toThrow(refused);
      }
    },
  );

  test.each([
    '{"__proto__":{"isAdmin":true}}',
    '{"__proto__.isAdmin":true}',
    '{"ctx.__proto__":{"isAdmin":true}}',
    '{"ctx.__proto__.isAdmin":true}',
    '{"ctx.constructor.prototype.isAdmin":true}',
    '{"cfg.toString":1}',
    '{"cfg.list":[{"__proto__":1}]}',
    '{"cfg.deep":{"deeper":{"constructor":1}}}',
    '{"cfg.deep":{"a.__proto__.b":1}}',
  ])('%s could reach a prototype and are refused', (json) => {
    expect(() => read(json)).toThrow(refused);
    expect(Object.hasOwn(Object.prototype, 'isAdmin')).toBe(false);
  });

  test.each(['{"ctx":{"userId":"u"}}', '{"ctx":null}', '{"cfg":{}}', '{"stt":"edit"}'])(
    '%s replace a whole group and are refused',
    (json) => {
      expect(() => read(json)).toThrow(refused);
    },
  );
});

describe('a part of a token', () => {
  test('is base64url of JSON', () => {
    expect(decodePart(Buffer.from('{"alg":"RS512"}').toString('base64url'))).toEqual({
      alg: 'RS512',
    });
    expect([...toBytes('-_-_')]).toEqual([0xfb, 0xff, 0xbf]);
  });

  test('is decoded as UTF-8', () => {
    const payload = Buffer.from('{"ctx.userName":"Jörg ✓ 😀"}').toString('base64url');

    expect(readClaims(payload).ctx.userName).toBe('Jörg ✓ 😀');
  });

  test.each(['e30=', 'e3 0', 'e30\n', 'e+30', 'e/30', 'e'])('%j is not base64url', (part) => {
    expect(() => toBytes(part)).toThrow(expect.any(Error));
  });

  test.each(['', 'bm8', 'e30x'])('%j is not JSON', (part) => {
    expect(() => decodePart(part)).toThrow(SyntaxError);
  });
});

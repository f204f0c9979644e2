import { expect, test } from 'vitest';
import { nestClaims } from './nest-claims.ts';

test('dotted names become nested objects without a prototype', () => {
  const claims = nestClaims({
    iss: 'a',
    'ctx.userId': 'u',
    'cfg.colour.main': 'red',
    'stt.edit': true,
  });

  expect(claims).toEqual({
    iss: 'a',
    ctx: { userId: 'u' },
    cfg: { colour: { main: 'red' } },
    stt: { edit: true },
  });
  expect(Object.getPrototypeOf(claims.cfg)).toBeNull();
});

test('a context that comes as one object reads the same', () => {
  expect(nestClaims({ ctx: { userId: 'u' } })).toEqual({ ctx: { userId: 'u' } });
});

test('claims without a context have an empty one', () => {
  expect(nestClaims({}).ctx).toEqual({});
});

test.each([
  '{"__proto__": {"isAdmin": true}}',
  '{"__proto__.isAdmin": true}',
  '{"ctx.__proto__": {"isAdmin": true}}',
  '{"ctx.constructor.prototype.isAdmin": true}',
  '{"ctx.prototype": 1}',
  '{"cfg.list": [{"__proto__": 1}]}',
  '{"cfg.deep": {"deeper": {"constructor": 1}}}',
  '{"ctx": {"a.__proto__.b": 1}}',
])('%s is refused', (json) => {
  expect(() => nestClaims(JSON.parse(json))).toThrow(expect.objectContaining({ code: 'ERR3' }));
});

test.each([
  '{"cfg": 1, "cfg.colour": 2}',
  '{"cfg.colour": 2, "cfg": 1}',
  '{"ctx": "text"}',
  '{"ctx": {"userId": "a"}, "ctx.userId": "b"}',
])('%s contradicts itself and is refused', (json) => {
  expect(() => nestClaims(JSON.parse(json))).toThrow(expect.objectContaining({ code: 'ERR3' }));
});

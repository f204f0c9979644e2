import { describe, expect, test } from 'vitest';
import { parseStrictJson, StrictJsonError } from './strict-json.ts';

function kindOf(text: string): string {
  try {
    parseStrictJson(text);
    return 'accepted';
  } catch (error) {
    if (error instanceof StrictJsonError) return error.kind;
    throw error;
  }
}

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describe('parseStrictJson', () => {
  test.each([
    '{}',
    '[]',
    '""',
    '-0.5e+3',
    'null',
    ' { "a" : [ 1 , 2.5 , true , false , null ] ,\t"b":\r\n{"c":"\\u00e9\\n\\"\\/"} } ',
    '{"":1," ":2,"A":3,"a":4}',
    '"\\ud83d\\ude00"',
    nested(8),
  ])('reads %s as JSON.parse does', (text) => {
    expect(parseStrictJson(text)).toEqual(JSON.parse(text));
  });

  test('gives objects no prototype, at every level', () => {
    const value = parseStrictJson('{"a":[{"b":{}}]}') as { a: [{ b: object }] };

    for (const object of [value, value.a[0], value.a[0].b]) {
      expect(Object.getPrototypeOf(object)).toBeNull();
    }
  });

  test.each([
    '',
    ' ',
    '{',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{a:1}',
    "{'a':1}",
    '[1,]',
    '[,1]',
    '[1 2]',
    '{"a":1}{"b":2}',
    '{"a":1}x',
    '01',
    '+1',
    '1.',
    '.5',
    '1e',
    'NaN',
    'Infinity',
    'True',
    '"a',
    '"\\x41"',
    '"\\u00g0"',
    '"a\nb"',
    '\ufeff{}',
    '\u00a0{}',
    '/**/{}',
    'undefined',
  ])('%j is not JSON', (text) => {
    expect(kindOf(text)).toBe('syntax');
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
  });

  test.each([
    ['a repeated name', '{"tenantId":"a","tenantId":"b"}'],
    ['a repeated name, spelled with an escape', '{"tenantId":"a","\\u0074enantId":"b"}'],
    ['a repeated name at depth', '{"client":{"x":[{"a":1,"a":1}]}}'],
    ['__proto__', '{"__proto__":{"admin":true}}'],
    ['__proto__, spelled with an escape', '{"\\u005f_proto__":1}'],
    ['constructor', '{"a":{"constructor":{}}}'],
    ['prototype', '{"prototype":1}'],
    ['a NUL character', '{"a":"b\\u0000c"}'],
    ['a NUL character in a name', '{"a\\u0000":1}'],
    ['a lone high surrogate', '"\\ud800"'],
    ['a lone low surrogate', '"\\udc00x"'],
    ['surrogates in the wrong order', '"\\udc00\\ud800"'],
    ['a number beyond a double', '{"exp":1e309}'],
    ['a number beyond a double, negative', '-1e309'],
    ['nine levels', nested(9)],
    ['ten thousand levels', nested(10_000)],
  ])('refuses %s', (_, text) => {
    expect(kindOf(text)).toBe('ambiguous');
  });

  test('reads a string of 60,000 escapes without running out of stack', () => {
    expect(parseStrictJson(`"${'\\n'.repeat(60_000)}"`)).toBe('\n'.repeat(60_000));
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readJson } from './read-json.ts';
import { createTextPositions } from './text-positions.ts';

function faultsOf(text: string): string[] {
  const positionOf = createTextPositions(text);
  return readJson(text).faults.map(({ code, offset }) => {
    const { line, column } = positionOf(offset);
    return `${code} ${line}:${column}`;
  });
}

const pieces = fc.constantFrom(
  ...'{ } [ ] : , " "a" "\\u0041" "\\ \n \t 1 -1.5e3 01 true null nul // /* */ \u0000 \uFEFF'.split(
    ' ',
  ),
);
/** Texts of the tokens of JSON in any order, and any other texts. */
const almostJson = fc.oneof(
  fc.array(pieces).map((each) => each.join('')),
  fc.string(),
);

describe('readJson', () => {
  test.each([
    ['', 'JSON_EMPTY 1:1'],
    [' \n ', 'JSON_EMPTY 2:2'],
    ['\uFEFF{}', 'JSON_BYTE_ORDER_MARK 1:1'],
    ['{} // end', 'JSON_COMMENT 1:4'],
    ['{/* a\n*/}', 'JSON_COMMENT 1:2'],
    ['{} /* open', 'JSON_CUT_OFF 1:4'],
    ['[1,]', 'JSON_TRAILING_COMMA 1:3'],
    ['{"a":1,\r\n}', 'JSON_TRAILING_COMMA 1:7'],
    ['{"a":1\n"b":2}', 'JSON_COMMA_MISSING 1:7'],
    ['[[] {}]', 'JSON_COMMA_MISSING 1:4'],
    ['[1 2]', 'JSON_UNEXPECTED 1:4'],
    ['{"a":1,"a":2}', 'JSON_MEMBER_DUPLICATE 1:8'],
    ['{"a":1,"\\u0061":2}', 'JSON_MEMBER_DUPLICATE 1:8'],
    ['{"__proto__":{}}', 'JSON_MEMBER_FORBIDDEN 1:2'],
    ["{'a':1}", 'JSON_UNEXPECTED 1:2'],
    ['{a:1}', 'JSON_UNEXPECTED 1:2'],
    ['{"a" 1}', 'JSON_UNEXPECTED 1:6'],
    ['{"a":}', 'JSON_UNEXPECTED 1:6'],
    ['{"a":undefined}', 'JSON_UNEXPECTED 1:6'],
    ['[NaN]', 'JSON_UNEXPECTED 1:2'],
    ['[01]', 'JSON_UNEXPECTED 1:3'],
    ['[+1]', 'JSON_UNEXPECTED 1:2'],
    ['[1.]', 'JSON_UNEXPECTED 1:3'],
    ['[,1]', 'JSON_UNEXPECTED 1:2'],
    ['{}{}', 'JSON_UNEXPECTED 1:3'],
    ['{\u00a0}', 'JSON_UNEXPECTED 1:2'],
    ['["a\nb"]', 'JSON_STRING_INVALID 1:2'],
    ['["\\x"]', 'JSON_STRING_INVALID 1:2'],
    ['["open]', 'JSON_STRING_INVALID 1:2'],
    ['{"a":1', 'JSON_CUT_OFF 1:7'],
    ['[1,', 'JSON_CUT_OFF 1:4'],
  ])('reports for %j: %s', (text, fault) => {
    expect(faultsOf(text)).toEqual([fault]);
  });

  test('reports all faults that it understands in one run', () => {
    expect(faultsOf('{"a":[1,], // one\n"a":2 "b":3,}')).toEqual([
      'JSON_TRAILING_COMMA 1:8',
      'JSON_COMMENT 1:12',
      'JSON_MEMBER_DUPLICATE 2:1',
      'JSON_COMMA_MISSING 2:6',
      'JSON_TRAILING_COMMA 2:12',
    ]);
  });

  test('reports the path of a fault', () => {
    expect(readJson('{"a":[0,{"b":tru}]}').faults[0]?.path).toEqual(['a', 1, 'b']);
  });

  test('reads 64 levels, and stops before the stack is full', () => {
    expect(faultsOf(`${'['.repeat(64)}${']'.repeat(64)}`)).toEqual([]);
    expect(faultsOf('['.repeat(200_000))).toEqual(['JSON_TOO_DEEP 1:65']);
  });

  test('drops a member __proto__', () => {
    const { root } = readJson('{"__proto__":{"isAdmin":true},"a":1}');

    expect(root?.value).toEqual({ a: 1 });
    expect(Object.getPrototypeOf(root?.value)).toBe(Object.prototype);
  });

  test('stops after a hundred faults', () => {
    expect(readJson('/**/'.repeat(10_000)).faults).toHaveLength(100);
  });

  test('reads the same values as JSON.parse from the same texts', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 8 }), fc.nat(3), (compact, indent) => {
        const text = JSON.stringify(JSON.parse(compact), null, indent);
        fc.pre(!text.includes('"__proto__"'));

        const { root, faults } = readJson(text);

        expect(faults).toEqual([]);
        expect(root?.value).toEqual(JSON.parse(text));
      }),
      { numRuns: 500 },
    );
  });

  test('accepts no text that JSON.parse refuses', () => {
    fc.assert(
      fc.property(almostJson, (text) => {
        if (readJson(text).faults.length > 0) return;

        expect(readJson(text).root?.value).toEqual(JSON.parse(text));
      }),
      { numRuns: 5000 },
    );
  });

  test('without positions, it reads the same value, reports the same faults, and keeps no children', () => {
    fc.assert(
      fc.property(fc.oneof(almostJson, fc.json()), (text) => {
        const whole = readJson(text);
        const { root, faults } = readJson(text, 'without');

        expect(faults).toEqual(whole.faults);
        expect(root?.value).toEqual(whole.root?.value);
        expect(root?.children).toBeUndefined();
      }),
      { numRuns: 5000 },
    );
  });
});

describe('createTextPositions', () => {
  test.each([
    ['', 0, 1, 1],
    ['a\nb', 2, 2, 1],
    ['a\r\nb', 3, 2, 1],
    ['a\rb', 2, 2, 1],
    ['ä😀x', 3, 1, 4],
    ['\n\n', 2, 3, 1],
  ])('in %j the offset %i is at %i:%i', (text, offset, line, column) => {
    expect(createTextPositions(text)(offset)).toEqual({ line, column });
  });
});

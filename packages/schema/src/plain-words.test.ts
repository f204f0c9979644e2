import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { describeIssue, plainWords } from './plain-words.ts';

const zodsOwn = 'WORDS OF ZOD';
z.config({ localeError: () => zodsOwn });

function wordsOf(schema: z.ZodType, value: unknown): string[] {
  const { error } = schema.safeParse(value, { error: plainWords });
  return (error?.issues ?? []).map(describeIssue);
}

describe('plainWords', () => {
  test.each<[z.ZodType, unknown, string]>([
    [z.string(), 1, 'Expected a string, found a number'],
    [z.string(), null, 'Expected a string, found null'],
    [z.record(z.string(), z.string()), [], 'Expected an object, found an array'],
    [z.number(), '1', 'Expected a number, found a string'],
    [z.coerce.number(), 'ten', 'This is not a number'],
    [z.number(), JSON.parse('1e999'), 'This number is too large'],
    [z.string(), JSON.parse('-1e999'), 'Expected a string, found a number that is too large'],
    [z.int(), 1.5, 'This is not a whole number'],
    [z.int(), 1e300, 'This is more than 9007199254740991'],
    [z.object({ a: z.string() }), {}, 'a: This is missing'],
    [z.string().min(1), '', 'This is empty'],
    [z.string().min(2), 'a', 'This has fewer than 2 characters'],
    [z.string().max(2), 'abc', 'This has more than 2 characters'],
    [z.array(z.string()).min(1), [], 'This is empty'],
    [z.array(z.string()).max(1), ['a', 'b'], 'This has more than 1 entries'],
    [z.number().min(5), 4, 'This is less than 5'],
    [z.number().positive(), 0, 'This is less than or equal to 0'],
    [z.number().max(5), 6, 'This is more than 5'],
    [z.number().lt(5), 5, 'This is more than or equal to 5'],
    [z.number().multipleOf(2), 3, 'This is not a multiple of 2'],
    [z.email(), 'mara', 'This is not an e-mail address'],
    [z.guid(), 'mara', 'This is not a UUID'],
    [z.url(), 'mara', 'This is not a URL'],
    [z.string().regex(/a/), 'b', 'This does not have the expected form'],
    [z.string().regex(/a/, 'Our own words'), 'b', 'Our own words'],
    [z.literal('x'), 'y', 'Expected "x"'],
    [z.enum(['x', 'y']), 'z', 'Expected one of "x", "y"'],
    [z.strictObject({}), { a: 1, b: 1, c: 1, d: 1 }, 'There is no field "a", "b", "c", …'],
    [z.union([z.string(), z.number()]), true, 'This is not of an expected kind'],
    [
      z.record(z.string().regex(/^a$/), z.string()),
      { b: '' },
      'b: A name in it is not of the form that is expected',
    ],
    [z.map(z.string(), z.string()), new Map([['a', 1]]), 'a: Expected a string, found a number'],
    [z.string().refine(() => false), '', 'This is not allowed'],
    [z.string().refine(() => false, 'Our own words'), '', 'Our own words'],
  ])('%#: an issue becomes the sentence: %3$s', (schema, value, words) => {
    expect(wordsOf(schema, value)).toEqual([words]);
    expect(schema.safeParse(value).error?.issues[0]?.message).toSatisfy(
      (message: string) => message === zodsOwn || message === 'Our own words',
    );
  });

  test('an unknown name is shortened', () => {
    expect(wordsOf(z.strictObject({}), { ['x'.repeat(500)]: 1 })[0]?.length).toBeLessThan(70);
  });
});

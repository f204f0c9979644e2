import { expect, test } from 'vitest';
import { JsonError, parseJson } from './parse-json.ts';

test('a text that every reader reads alike is parsed', () => {
  const value = { text: 'é\u2028\\"', list: [1.5e3, -0, true, null, {}], constructor: 'mine' };

  expect(parseJson(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)));
});

test.each([
  ['two members of one name', '{"token":"a",\n"token":"b"}', 'JSON_MEMBER_DUPLICATE', 'Line 2'],
  ['two spellings of one name', '{"token":"a","t\\u006fken":"b"}', 'JSON_MEMBER_DUPLICATE'],
  ['two members of one name further in', '{"a":[{"b":1,"b":1}]}', 'JSON_MEMBER_DUPLICATE'],
  ['a member named __proto__', '{"__proto__":{}}', 'JSON_MEMBER_FORBIDDEN'],
  ['a text that is cut off', '{"token":', 'JSON_CUT_OFF'],
  ['an empty text', '', 'JSON_EMPTY'],
  ['sixty-five levels', '['.repeat(65), 'JSON_TOO_DEEP'],
])('%s is refused with its place', (_, text, code, place = 'Line 1') => {
  expect(() => parseJson(text)).toThrow(JsonError);
  expect(() => parseJson(text)).toThrow(expect.objectContaining({ code }));
  expect(() => parseJson(text)).toThrow(place);
});

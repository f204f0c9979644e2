import { describe, expect, test } from 'vitest';
import { lifecycleEventSchemas } from './lifecycle-events.ts';
import { notificationSchema, sessionRequestSchema } from './plugin-api.ts';
import { eventClaims } from './testing/samples.ts';

const recipientEmail = 'a@b.example';
const longest = 'x'.repeat(1000);
const languages = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      String.fromCharCode(97 + Math.floor(index / 26), 97 + (index % 26)),
      'text',
    ]),
  );

const accepts = (fields: object) =>
  notificationSchema.safeParse({ recipientEmail, ...fields }).success;

test.each<[string, boolean]>([
  ['6f1c4b1e-6f0b-4c39-9a3e-2f3a4ad0c0de', true],
  ['widget:42', true],
  ['d2lkZ2V0IDQyLw+/==', true],
  ['Widget 42 ü', true],
  ['x'.repeat(256), true],
  ['x'.repeat(257), false],
  ['', false],
  [' ', false],
  ['x\n', false],
  ['x\u0000', false],
  ['x\u202ey', false],
])('the widget %j has events and sessions: %j', (instanceId, isAccepted) => {
  const event = { ...eventClaims, sub: 'instance_add', instanceId };

  expect(lifecycleEventSchemas.instance_add.safeParse(event).success).toBe(isAccepted);
  expect(sessionRequestSchema.safeParse({ initJwt: 'a.b.c', instanceId }).success).toBe(isAccepted);
});

describe('a text by language has the same limits as the single text', () => {
  test.each([
    ['message', 'messages', {}],
    ['excerpt', 'excerpts', { message: 'm' }],
  ])('%s and %s', (single, several, others) => {
    for (const text of [longest, `${longest}x`, '', 'x'.repeat(60_000)]) {
      const isAccepted = accepts({ ...others, [single]: text });
      expect(accepts({ ...others, [several]: { en: text } })).toBe(isAccepted);
      expect(accepts({ ...others, [several]: { de: 'kurz', en: text } })).toBe(isAccepted);
    }
    expect(accepts({ ...others, [several]: { en: longest } })).toBe(true);
    expect(accepts({ ...others, [several]: { en: `${longest}x` } })).toBe(false);
  });

  test.each([
    ['messages', {}],
    ['excerpts', { message: 'm' }],
  ])('%s has 1 to 50 languages, in lower case', (name, others) => {
    expect(accepts({ ...others, [name]: languages(50) })).toBe(true);
    for (const bad of [{}, languages(51), { EN: 't' }, { english: 't' }, { '': 't' }, ['t']]) {
      expect(accepts({ ...others, [name]: bad })).toBe(false);
    }
    const inherited = JSON.parse('{"__proto__": "t"}') as object;
    expect(accepts({ ...others, [name]: inherited })).toBe(false);
  });
});

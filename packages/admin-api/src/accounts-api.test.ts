import { expect, test } from 'vitest';
import { accountNameSchema, newPasswordSchema } from './accounts-api.ts';

test.each([
  ['x'.repeat(11), false],
  ['aaaaaaaaaaaa', true],
  ['😀'.repeat(11), false],
  ['x'.repeat(1_024), true],
  ['x'.repeat(1_025), false],
])('a password has 12 to 1,024 characters of any kind', (password, isGood) => {
  expect(newPasswordSchema.safeParse(password).success).toBe(isGood);
});

test('the message about a short password does not repeat it', () => {
  expect(newPasswordSchema.safeParse('canary').error?.message).not.toContain('canary');
});

test('the name of an account is in lower case', () => {
  expect(accountNameSchema.parse(' Ada@example.com ')).toBe('ada@example.com');
  expect(accountNameSchema.safeParse('a/b').success).toBe(false);
});

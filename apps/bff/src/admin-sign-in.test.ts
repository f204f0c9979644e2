import { expect, test } from 'vitest';
import { createAdminSignIn } from './admin-sign-in.ts';

test('each code signs in once, and its use announces the next one', () => {
  const announced: string[] = [];
  const signIn = createAdminSignIn((code) => announced.push(code));
  const first = signIn.code ?? '';

  expect(() => signIn.redeem('guess')).toThrow(/wrong or was used/);
  expect(announced).toEqual([]);
  signIn.redeem(first);
  expect(announced).toHaveLength(1);
  expect(() => signIn.redeem(first)).toThrow(/wrong or was used/);
  signIn.redeem(announced[0] ?? '');
  expect(new Set([first, ...announced]).size).toBe(3);
});

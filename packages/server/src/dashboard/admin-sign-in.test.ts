import { expect, test } from 'vitest';
import { createAdminSignIn, type SignInCode } from './admin-sign-in.ts';

const dayMs = 24 * 60 * 60 * 1000;

test('each code signs in once, and its use announces the next one', () => {
  const announced: SignInCode[] = [];
  const signIn = createAdminSignIn({ announce: (next) => announced.push(next) });
  const first = signIn.first.code;

  expect(() => signIn.redeem('guess')).toThrow(/wrong or was used/);
  expect(announced).toEqual([]);
  signIn.redeem(first);
  expect(announced).toHaveLength(1);
  expect(() => signIn.redeem(first)).toThrow(/wrong or was used/);
  signIn.redeem(announced[0]?.code ?? '');
  expect(new Set([first, ...announced.map(({ code }) => code)]).size).toBe(3);
});

test('a code that is a day old does not sign in, and another is announced', () => {
  let at = 1_000;
  const announced: SignInCode[] = [];
  const signIn = createAdminSignIn({ announce: (next) => announced.push(next), now: () => at });
  const { code, expiresAt } = signIn.first;
  expect(expiresAt).toBe(1_000 + dayMs);

  at = expiresAt;

  expect(() => signIn.redeem(code)).toThrow(/too old: a fresh one is shown/);
  expect(() => signIn.redeem(code)).toThrow(/wrong or was used/);
  expect(announced).toMatchObject([{ expiresAt: at + dayMs }]);
  signIn.redeem(announced[0]?.code ?? '');
});

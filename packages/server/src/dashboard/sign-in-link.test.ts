import { expect, test } from 'vitest';
import { createSignInLink } from './sign-in-link.ts';

test('F04: the link of a start carries a code that lives for ten minutes', async () => {
  const asked: unknown[] = [];
  const createSignInCode = async (request: unknown) => {
    asked.push(request);
    return 'the-code';
  };

  const link = await createSignInLink({
    store: { accounts: { createSignInCode } },
    adminUrl: 'https://polls.example.com/base',
    now: () => Date.UTC(2026, 0, 31, 23, 50),
  });

  expect(link).toEqual({
    url: 'https://polls.example.com/base/admin/sign-in#code=the-code',
    until: '2026-02-01 00:00 UTC',
  });
  expect(asked).toEqual([{ name: 'start', expiresAt: Date.UTC(2026, 1, 1) }]);
});

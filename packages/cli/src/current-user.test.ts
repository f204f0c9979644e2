import { hostname } from 'node:os';
import { afterEach, expect, test } from 'vitest';
import { currentUser } from './current-user.ts';

const realUser = process.geteuid?.();

afterEach(() => {
  if (realUser !== undefined) process.seteuid?.(realUser);
});

test.skipIf(realUser !== 0)('a user that has no name on this system is named by its number', () => {
  process.seteuid?.(54_321);

  expect(currentUser()).toEqual({ who: 'uid 54321', role: 'owner', way: 'cli', from: hostname() });
});

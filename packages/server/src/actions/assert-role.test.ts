import { operatorRoleSchema } from '@dowel/admin-api';
import { expect, test } from 'vitest';
import { assertRole } from './assert-role.ts';

test('F12: a role allows what the roles before it allow, and nothing of those after it', () => {
  const allowed = operatorRoleSchema.options.map((role) =>
    operatorRoleSchema.options.filter((needed) => {
      try {
        assertRole({ role }, needed);
        return true;
      } catch (error) {
        expect(error).toMatchObject({ code: 'ROLE_MISSING', status: 403 });
        return false;
      }
    }),
  );

  expect(allowed).toEqual([['viewer'], ['viewer', 'operator'], ['viewer', 'operator', 'owner']]);
});

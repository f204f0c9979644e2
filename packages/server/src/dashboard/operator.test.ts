import { type OperatorRole, operatorRoleSchema } from '@dowel/schema';
import type { Context } from 'koa';
import { expect, test } from 'vitest';
import { operatorOf, requireRole, setOperator } from './operator.ts';

function requestOf(role?: OperatorRole): Context {
  const ctx = { req: {} } as Context;
  const identity = { method: 'code', issuer: null, subject: 'ada' } as const;
  const session = {
    method: 'code',
    identity,
    accountRevision: null,
    sessionId: 's',
    expiresAt: 1,
  } as const;
  if (role) setOperator(ctx, { name: 'ada', role, ...session });
  return ctx;
}

test('F12: a role allows what the roles before it allow, and nothing of those after it', () => {
  const allowed = operatorRoleSchema.options.map((role) =>
    operatorRoleSchema.options.filter((needed) => {
      try {
        return requireRole(requestOf(role), needed).role === role;
      } catch (error) {
        expect(error).toMatchObject({ code: 'ROLE_MISSING', status: 403 });
        return false;
      }
    }),
  );

  expect(allowed).toEqual([['viewer'], ['viewer', 'operator'], ['viewer', 'operator', 'owner']]);
});

test('F12: a request without a session has no operator, and no role', () => {
  expect(() => operatorOf(requestOf())).toThrow(expect.objectContaining({ status: 401 }));
  expect(() => requireRole(requestOf(), 'viewer')).toThrow(
    expect.objectContaining({ code: 'SIGN_IN_REQUIRED' }),
  );
});

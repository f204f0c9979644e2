/** The operator of a request, and the check of the role. Row F12 of docs/threats.md. */
import {
  isRoleEnough,
  type OperatorIdentity,
  type OperatorRole,
  type SignInMethod,
} from '@dowel/schema';
import type { Context } from 'koa';
import { assertRole } from '../actions/assert-role.ts';
import { ApiError } from '../errors.ts';

/** The operator who sent a request. */
export interface Operator {
  name: string;
  role: OperatorRole;
  method: SignInMethod;
  /** Who it is. The name is only a label. */
  identity: OperatorIdentity;
  /** The revision of the account that signed in by password; null for other sign-ins. */
  accountRevision: string | null;
  /** A UUID, not the session's secret. */
  sessionId: string;
  /** The session's absolute limit, in epoch milliseconds. */
  expiresAt: number;
}

const operators = new WeakMap<object, Operator>();

/** Call it when the request's session was found. */
export function setOperator(ctx: Context, operator: Operator): void {
  operators.set(ctx.req, operator);
}

/**
 * The operator who sent this request. Every route of `/admin/api` that is registered after the sign-in has
 * one.
 *
 * @throws ApiError `SIGN_IN_REQUIRED`
 */
export function operatorOf(ctx: Context): Operator {
  const operator = operators.get(ctx.req);
  if (!operator) throw new ApiError('SIGN_IN_REQUIRED', 'Sign in first');
  return operator;
}

/** Addresses of people and machines, and hosts other than tenants', are for operators (docs/decisions/0047). */
export function maySeeAddresses(ctx: Context): boolean {
  return isRoleEnough(operatorOf(ctx).role, 'operator');
}

/** @throws ApiError `ROLE_MISSING` if the operator has a lower role; `SIGN_IN_REQUIRED` without an operator. */
export function requireRole(ctx: Context, role: OperatorRole): Operator {
  const operator = operatorOf(ctx);
  assertRole(operator, role);
  return operator;
}

import { isRoleEnough, type OperatorRole } from '@dowel/admin-api';
import { RefusedActionError } from './refused-action-error.ts';

/** @throws ApiError `ROLE_MISSING` */
export function assertRole({ role }: { role: OperatorRole }, needed: OperatorRole): void {
  // control F12
  if (isRoleEnough(role, needed)) return;
  const message = `This needs the role ${needed}; yours is ${role}`;
  throw new RefusedActionError('ROLE_MISSING', message, {
    kind: 'role_missing',
    needed,
    own: role,
  });
}

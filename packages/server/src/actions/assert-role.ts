import { isRoleEnough, type OperatorRole } from '@dowel/schema';
import { ApiError } from '../errors.ts';

/** @throws ApiError `ROLE_MISSING` */
export function assertRole({ role }: { role: OperatorRole }, needed: OperatorRole): void {
  if (isRoleEnough(role, needed)) return;
  throw new ApiError('ROLE_MISSING', `This needs the role ${needed}; yours is ${role}`);
}

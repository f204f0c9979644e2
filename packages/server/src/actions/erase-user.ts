/** Erases a user of the platform, on the page and by command. The audit names the user by a fingerprint only. */
import type { EraseUserRequest, EraseUserResult } from '@dowel/admin-api';
import { type AuditEnding, recordAction, type Store } from '@dowel/installation-store';
import type { Actor } from './action-context.ts';
import { assertRole } from './assert-role.ts';
import { failureOf } from './failure-of.ts';

/** @throws ApiError `ROLE_MISSING` */
export function eraseUser(
  { operators, audit }: Pick<Store, 'operators' | 'audit'>,
  actor: Actor,
  { userId, tenantId, reason }: EraseUserRequest,
): Promise<EraseUserResult> {
  const target = [operators.fingerprintOf(userId), tenantId].filter(Boolean).join(' ');
  return recordAction(audit, {
    entry: { ...actor, action: 'erase-user', target, reason },
    async act() {
      assertRole(actor, 'owner');
      return { rows: await operators.eraseUser({ userId, tenantId }) };
    },
    endingOf,
    failureOf,
  });
}

function endingOf({ rows: count }: EraseUserResult): AuditEnding {
  return {
    result: count === 0 ? 'unchanged' : 'done',
    detail: `Erased from ${count} row${count === 1 ? '' : 's'}.`,
    meaning: { kind: 'erased', count },
  };
}

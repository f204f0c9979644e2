/** People, for owners: the accounts of operators, and what is stored of users. Each change has a row in the audit. */
import {
  accountListSchema,
  changeRoleRequestSchema,
  eraseUserRequestSchema,
  eraseUserResultSchema,
  removeAccountRequestSchema,
} from '@dowel/admin-api';
import { type AuditEnding, recordAction, type Store } from '@dowel/installation-store';
import type { Actor } from '../actions/action-context.ts';
import { assertRole } from '../actions/assert-role.ts';
import { eraseUser } from '../actions/erase-user.ts';
import { failureOf } from '../actions/failure-of.ts';
import { RefusedActionError } from '../actions/refused-action-error.ts';
import { type AdminRoute, route } from './admin-route.ts';

export interface AccountRoutesContext {
  store: Pick<Store, 'accounts' | 'audit' | 'operators'>;
}

export function listAccountRoutes({ store }: AccountRoutesContext): AdminRoute[] {
  const { accounts } = store;
  return [
    route('GET /accounts', {
      role: 'owner',
      summary: 'Accounts',
      answer: accountListSchema,
      handle: async () => ({ accounts: await accounts.listAccounts() }),
    }),
    route('POST /accounts/:name/role', {
      role: 'owner',
      summary: 'Change the role of an account',
      body: changeRoleRequestSchema,
      handle: ({ actor, params: { name }, body: { role, reason } }) =>
        changeAccount(store, actor, {
          action: 'change-role',
          name,
          reason,
          ending: {
            result: 'done',
            detail: `The role is ${role}.`,
            meaning: { kind: 'role_given', role },
          },
          change: () => accounts.changeRole(name, role),
        }),
    }),
    route('POST /accounts/:name/remove', {
      role: 'owner',
      summary: 'Remove an account',
      body: removeAccountRequestSchema,
      handle: ({ actor, params: { name }, body: { reason } }) =>
        changeAccount(store, actor, {
          action: 'remove-account',
          name,
          reason,
          ending: { result: 'done', detail: null },
          change: () => accounts.removeAccount(name),
        }),
    }),
    route('POST /users/erase', {
      role: 'owner',
      summary: 'Erase what is stored of a user of the platform',
      body: eraseUserRequestSchema,
      answer: eraseUserResultSchema,
      handle: ({ actor, body }) => eraseUser(store, actor, body),
    }),
  ];
}

interface AccountChange {
  action: 'change-role' | 'remove-account';
  name: string;
  reason: string;
  /** The audit entry of a change that was done. */
  ending: AuditEnding;
  /** False: there is no such account. */
  change: () => Promise<boolean>;
}

/** The audit records refused changes, too. */
function changeAccount(
  { audit }: Pick<Store, 'audit'>,
  actor: Actor,
  { action, name, reason, ending, change }: AccountChange,
): Promise<void> {
  return recordAction(audit, {
    entry: { ...actor, action, target: name, reason },
    async act() {
      assertRole(actor, 'owner');
      if (!(await change())) throw noAccount();
    },
    endingOf: () => ending,
    failureOf,
  });
}

function noAccount(): RefusedActionError {
  return new RefusedActionError('NOT_FOUND', 'There is no such account', { kind: 'no_account' });
}

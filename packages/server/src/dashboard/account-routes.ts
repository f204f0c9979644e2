/** People, for owners: the accounts of operators, and what is stored of users. Each change has a row in the audit. */
import {
  type AddAccountRequest,
  accountListSchema,
  addAccountRequestSchema,
  changeRoleRequestSchema,
  createPasswordLinkRequestSchema,
  eraseUserRequestSchema,
  eraseUserResultSchema,
  type OperatorRole,
  type PasswordLink,
  passwordLinkSchema,
  removeAccountRequestSchema,
} from '@dowel/admin-api';
import {
  type AuditEnding,
  passwordLinkLifetimeMs,
  recordAction,
  type Store,
} from '@dowel/installation-store';
import type { Actor } from '../actions/action-context.ts';
import { assertRole } from '../actions/assert-role.ts';
import { eraseUser } from '../actions/erase-user.ts';
import { failureOf } from '../actions/failure-of.ts';
import { RefusedActionError } from '../actions/refused-action-error.ts';
import { type AdminRoute, route } from './admin-route.ts';

export interface AccountRoutesContext {
  store: Pick<Store, 'accounts' | 'audit' | 'operators'>;
  /** Without a slash at its end; may have a path. */
  adminUrl: string;
  /** Epoch milliseconds. */
  now: () => number;
}

export function listAccountRoutes(context: AccountRoutesContext): AdminRoute[] {
  const { store } = context;
  const { accounts } = store;
  return [
    route('GET /accounts', {
      role: 'owner',
      summary: 'Accounts',
      answer: accountListSchema,
      handle: async () => ({ accounts: await accounts.listAccounts() }),
    }),
    ...listLinkRoutes(context),
    route('POST /accounts/:name/role', {
      role: 'owner',
      summary: 'Change the role of an account',
      body: changeRoleRequestSchema,
      handle: ({ actor, params: { name }, body: { role, reason } }) =>
        changeAccount(store, actor, {
          action: 'change-role',
          name,
          reason,
          ending: roleGiven(role),
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

/** Those whose answer is a link for a password. */
function listLinkRoutes(context: AccountRoutesContext): AdminRoute[] {
  const { store } = context;
  return [
    route('POST /accounts', {
      role: 'owner',
      summary: 'Add an account; the answer is a link with which the person sets the password',
      body: addAccountRequestSchema,
      status: 201,
      answer: passwordLinkSchema,
      handle: ({ actor, body }) => addAccount(context, actor, body),
    }),
    route('POST /accounts/:name/password-link', {
      role: 'owner',
      summary: 'Make a link with which a person sets a new password',
      body: createPasswordLinkRequestSchema,
      status: 201,
      answer: passwordLinkSchema,
      handle: ({ actor, params: { name: target }, body: { reason } }) =>
        recordAction(store.audit, {
          entry: { ...actor, action: 'create-password-link', target, reason },
          async act() {
            assertRole(actor, 'owner');
            return createPasswordLink(context, target);
          },
          failureOf,
        }),
    }),
  ];
}

function addAccount(
  context: AccountRoutesContext,
  actor: Actor,
  { name, role, reason }: AddAccountRequest,
): Promise<PasswordLink> {
  const { store, now } = context;
  return recordAction(store.audit, {
    entry: { ...actor, action: 'add-account', target: name, reason },
    async act() {
      assertRole(actor, 'owner');
      if (!(await store.accounts.addAccount({ name, role, createdAt: now() }))) {
        const message = `There is an account ${name} already`;
        throw new RefusedActionError('ACCOUNT_EXISTS', message, { kind: 'account_exists' });
      }
      return createPasswordLink(context, name);
    },
    endingOf: () => roleGiven(role),
    failureOf,
  });
}

/** The code is in the fragment, which browsers send to no server. @throws ApiError `NOT_FOUND` */
async function createPasswordLink(
  { store, adminUrl, now }: AccountRoutesContext,
  name: string,
): Promise<PasswordLink> {
  const expiresAt = now() + passwordLinkLifetimeMs;
  const code = await store.accounts.createPasswordLink(name, expiresAt);
  if (code === undefined) throw noAccount();
  return { url: `${adminUrl}/admin/password#code=${code}`, expiresAt };
}

function roleGiven(role: OperatorRole): AuditEnding {
  return { result: 'done', detail: `The role is ${role}.`, meaning: { kind: 'role_given', role } };
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

/** People, for owners: the accounts of operators, and what is stored of users. Each change has a row in the audit. */
import { type AuditEnding, recordAction, type Store } from '@dowel/installation-store';
import {
  type AccountList,
  changeRoleRequestSchema,
  eraseUserRequestSchema,
  removeAccountRequestSchema,
} from '@dowel/schema';
import type Router from '@koa/router';
import type { Context } from 'koa';
import { eraseUser } from '../actions/erase-user.ts';
import { failureOf } from '../actions/failure-of.ts';
import { RefusedActionError } from '../actions/refused-action-error.ts';
import type { Log } from '../log/log.ts';
import { pathText } from '../request/path-text.ts';
import { readJson } from '../request/read-body.ts';
import { requestOf } from '../request/server-exchange.ts';
import { actorOf } from './action-routes.ts';
import { requireRole } from './operator.ts';

export interface AccountRoutesContext {
  store: Pick<Store, 'accounts' | 'audit' | 'operators'>;
  logger: Pick<Log, 'error'>;
}

/** Register it where a request has an operator. */
export function addAccountRoutes(router: Router, context: AccountRoutesContext): void {
  router.get('/accounts', (ctx) => listAccounts(context, ctx));
  router.post('/accounts/:name/role', (ctx) => changeRole(context, ctx, pathText(ctx.params.name)));
  router.post('/accounts/:name/remove', (ctx) =>
    removeAccount(context, ctx, pathText(ctx.params.name)),
  );
  router.post('/users/erase', async (ctx) => {
    const request = await readJson(requestOf(ctx, context.logger), eraseUserRequestSchema);
    ctx.body = await eraseUser(context.store, actorOf(ctx), request);
  });
}

async function listAccounts({ store }: AccountRoutesContext, ctx: Context): Promise<void> {
  requireRole(ctx, 'owner');
  const answer: AccountList = { accounts: await store.accounts.listAccounts() };
  ctx.body = answer;
}

async function changeRole(context: AccountRoutesContext, ctx: Context, name: string) {
  const { role, reason } = await readJson(requestOf(ctx, context.logger), changeRoleRequestSchema);
  const change = () => context.store.accounts.changeRole(name, role);
  await changeAccount(context, ctx, {
    action: 'change-role',
    name,
    reason,
    ending: {
      result: 'done',
      detail: `The role is ${role}.`,
      meaning: { kind: 'role_given', role },
    },
    change,
  });
}

async function removeAccount(context: AccountRoutesContext, ctx: Context, name: string) {
  const { reason } = await readJson(requestOf(ctx, context.logger), removeAccountRequestSchema);
  const change = () => context.store.accounts.removeAccount(name);
  await changeAccount(context, ctx, {
    action: 'remove-account',
    name,
    reason,
    ending: { result: 'done', detail: null },
    change,
  });
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
async function changeAccount(
  { store: { audit } }: AccountRoutesContext,
  ctx: Context,
  { action, name, reason, ending, change }: AccountChange,
): Promise<void> {
  await recordAction(audit, {
    entry: { ...actorOf(ctx), action, target: name, reason },
    async act() {
      requireRole(ctx, 'owner');
      if (!(await change())) throw noAccount();
    },
    endingOf: () => ending,
    failureOf,
  });
  ctx.status = 204;
}

function noAccount(): RefusedActionError {
  return new RefusedActionError('NOT_FOUND', 'There is no such account', { kind: 'no_account' });
}

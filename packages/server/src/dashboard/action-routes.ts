/** The routes of operators' actions, and of the audit. */
import {
  type ActionName,
  actionNameSchema,
  actionRequestSchemas,
  auditQuerySchema,
} from '@dowel/schema';
import type Router from '@koa/router';
import type { Context } from 'koa';
import type { ActionContext, Actor } from '../actions/action-context.ts';
import { performAction, statusOf } from '../actions/perform-action.ts';
import { ApiError } from '../errors.ts';
import type { Log } from '../log/log.ts';
import { pathText } from '../request/path-text.ts';
import { readJson } from '../request/read-body.ts';
import { readQuery } from '../request/read-query.ts';
import { requestOf } from '../request/server-exchange.ts';
import { maySeeAddresses, operatorOf } from './operator.ts';

export interface ActionRoutesContext extends ActionContext {
  logger: Pick<Log, 'error'>;
}

/** Register it where a request has an operator. The actions check the role themselves: a refusal is in the audit. */
export function addActionRoutes(router: Router, context: ActionRoutesContext): void {
  router.post('/installations/:id/actions/:name', (ctx) => act(context, ctx, ctx.params));
}

/** Register it where a request has an operator who may read. */
export function addAuditRoutes(router: Router, context: ActionRoutesContext): void {
  router.get('/audit', async (ctx) => {
    const query = readQuery(requestOf(ctx, context.logger), auditQuerySchema);
    const { entries, next } = await context.store.audit.list(query);
    const isShown = maySeeAddresses(ctx);
    ctx.body = { entries: entries.map((each) => (isShown ? each : { ...each, from: null })), next };
  });
}

async function act(
  context: ActionRoutesContext,
  ctx: Context,
  { id, name }: { id?: string; name?: string },
): Promise<void> {
  const installationId = pathText(id);
  const action = actionNameSchema.safeParse(name).data;
  if (action === undefined) throw new ApiError('NOT_FOUND', 'There is no such action');
  const request = await readJson(requestOf(ctx, context.logger), schemaOf(action));
  const outcome = await performAction(context, actorOf(ctx), {
    action,
    installationId,
    request,
  });
  ctx.status = statusOf(outcome);
  ctx.body = outcome;
}

function schemaOf<Name extends ActionName>(action: Name): (typeof actionRequestSchemas)[Name] {
  return actionRequestSchemas[action];
}

/** The sender of a request, for the audit. */
export function actorOf(ctx: Context): Actor {
  const { name, role, identity } = operatorOf(ctx);
  return { who: name, identity, role, way: 'page', from: ctx.ip };
}

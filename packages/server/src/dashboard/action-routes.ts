/** The routes of operators' actions, and of the audit. */
import {
  type ActionName,
  actionNameSchema,
  actionRefusalSchema,
  actionRequestSchemas,
  actionResultSchema,
  auditListSchema,
  auditQuerySchema,
} from '@dowel/admin-api';
import { z } from 'zod';
import type { ActionContext } from '../actions/action-context.ts';
import { performAction, statusOf } from '../actions/perform-action.ts';
import { ApiError } from '../base/errors.ts';
import { type AdminRoute, maySeeAddresses, route, written } from './admin-route.ts';

/** The actions check the role themselves: it depends on the action. */
export function listActionRoutes(context: ActionContext): AdminRoute[] {
  return [
    route('POST /installations/:id/actions/:name', {
      role: 'operator',
      summary: `Act on an installation: ${actionNameSchema.options.join(', ')}. Some need an owner; 409 says why one was refused`,
      body: z.union(Object.values(actionRequestSchemas)),
      bodyOf: ({ name }) => actionRequestSchemas[actionOf(name)],
      answer: actionResultSchema,
      refusal: actionRefusalSchema,
      async handle({ ctx, actor, params: { id, name }, body }) {
        const call = { action: actionOf(name), installationId: id, request: body };
        const outcome = await performAction(context, actor, call);
        if (!('code' in outcome)) return outcome;
        ctx.status = statusOf(outcome);
        ctx.body = outcome;
        return written;
      },
    }),
    route('GET /audit', {
      role: 'viewer',
      summary: 'What operators did, the newest first',
      query: auditQuerySchema,
      answer: auditListSchema,
      async handle({ session, query }) {
        const { entries, next } = await context.store.audit.list(query);
        const isShown = maySeeAddresses(session);
        return { entries: entries.map((each) => (isShown ? each : { ...each, from: null })), next };
      },
    }),
  ];
}

/** @throws ApiError `NOT_FOUND` */
function actionOf(name: string): ActionName {
  const action = actionNameSchema.safeParse(name).data;
  if (action === undefined) throw new ApiError('NOT_FOUND', 'There is no such action');
  return action;
}

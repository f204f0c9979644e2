/** The routes of the plug-in's iframe. An operation runs only if the table names it; nothing is proxied. */
import Router from '@koa/router';
import type { Context } from 'koa';
import type { Log } from '../log/log.ts';
import { type OperationsContext, runOperation } from '../operations/run-operation.ts';
import { requestOf, sendAnswer } from '../request/server-exchange.ts';
import type { ServerAnswer, ServerRequest } from '../request/server-request.ts';
import { openSession, type SessionContext } from '../sessions/open-session.ts';
import { giveNonce } from '../sessions/session-nonce.ts';

export type PluginRoutesContext = SessionContext &
  OperationsContext & {
    logger: Pick<Log, 'error'>;
    /** '' or `/polls`. */
    prefix: string;
  };

type Answer = (context: PluginRoutesContext, request: ServerRequest) => Promise<ServerAnswer>;

/** Creates the routes below `api/`: nonces, sessions and operations. */
export function createPluginRoutes(context: PluginRoutesContext) {
  const router = new Router({ prefix: `${context.prefix}/api`, strict: true, sensitive: true });
  const answerWith = (answer: Answer) => async (ctx: Context) =>
    sendAnswer(ctx, await answer(context, requestOf(ctx, context.logger)));
  router.post('/session/nonce', answerWith(giveNonce));
  router.post('/session', answerWith(openSession));
  for (const name of context.operations.keys()) router.post(`/${name}`, answerWith(runOperation));
  return router;
}

/** The routes of the plug-in's iframe. Each operation has its own route; nothing is proxied. */
import Router from '@koa/router';
import type { Context } from 'koa';
import type { Log } from '../log/log.ts';
import { type NotificationContext, sendNotification } from '../operations/send-notification.ts';
import { allowAnyOrigin, answerPreflight } from '../request/cross-origin.ts';
import { requestOf, sendAnswer } from '../request/server-exchange.ts';
import type { ServerAnswer, ServerRequest } from '../request/server-request.ts';
import { openSession, type SessionContext } from '../sessions/open-session.ts';

export type PluginRoutesContext = SessionContext &
  NotificationContext & {
    logger: Pick<Log, 'error'>;
    /** '' or `/polls`. */
    prefix: string;
  };

type Answer = (context: PluginRoutesContext, request: ServerRequest) => Promise<ServerAnswer>;

export function createPluginRoutes(context: PluginRoutesContext) {
  const router = new Router({ prefix: `${context.prefix}/api`, strict: true, sensitive: true });
  const answerWith = (answer: Answer) => async (ctx: Context) =>
    sendAnswer(ctx, await answer(context, requestOf(ctx, context.logger)));
  router.use(allowAnyOrigin);
  router.options(['/session', '/notifications'], (ctx) => answerPreflight(ctx));
  router.post('/session', answerWith(openSession));
  router.post('/notifications', answerWith(sendNotification));
  return router;
}

/** The routes of alerts. Each action checks the role itself: the audit has its refusals. */
import {
  alertChannelSchema,
  alertTestRequestSchema,
  endSilenceRequestSchema,
  silenceRequestSchema,
} from '@dowel/schema';
import type Router from '@koa/router';
import type { Context } from 'koa';
import { describeAlerts, endSilence, silenceAlert, testAlerts } from '../actions/alert-actions.ts';
import type { AlertsContext } from '../alerts/alerts-context.ts';
import { ApiError } from '../errors.ts';
import type { Log } from '../log/log.ts';
import { readJson } from '../request/read-body.ts';
import { requestOf } from '../request/server-exchange.ts';
import { actorOf } from './action-routes.ts';
import { operatorOf } from './operator.ts';
import { limitOperator, type OperatorLimits } from './operator-limits.ts';

export interface AlertRoutesContext {
  alerts: AlertsContext;
  operatorLimits: OperatorLimits;
  logger: Pick<Log, 'error'>;
}

/** Register it where a request has an operator. */
export function addAlertRoutes(router: Router, context: AlertRoutesContext): void {
  const { alerts, logger, operatorLimits } = context;
  const limit = (ctx: Context, work: 'silence' | 'test-alerts') =>
    limitOperator(operatorLimits, work, operatorOf(ctx).identity);
  router.get('/alerts', async (ctx) => {
    ctx.body = await describeAlerts(alerts, operatorOf(ctx).role);
  });
  router.post('/alerts/silences', async (ctx) => {
    const request = await readJson(requestOf(ctx, logger), silenceRequestSchema);
    limit(ctx, 'silence');
    await silenceAlert(alerts.store, actorOf(ctx), request);
    ctx.status = 204;
  });
  router.post('/alerts/silences/end', async (ctx) => {
    const request = await readJson(requestOf(ctx, logger), endSilenceRequestSchema);
    limit(ctx, 'silence');
    await endSilence(alerts.store, actorOf(ctx), request);
    ctx.status = 204;
  });
  router.post('/alerts/channels/:channel/test', async (ctx) => {
    const channel = channelOf(ctx);
    const { reason } = await readJson(requestOf(ctx, logger), alertTestRequestSchema);
    limit(ctx, 'test-alerts');
    ctx.body = await testAlerts(alerts, actorOf(ctx), { channel, reason });
  });
}

/** @throws ApiError `NOT_FOUND` */
function channelOf(ctx: Context & { params: { channel?: string } }) {
  const channel = alertChannelSchema.safeParse(ctx.params.channel).data;
  if (channel === undefined) throw new ApiError('NOT_FOUND', 'There is no such channel');
  return channel;
}

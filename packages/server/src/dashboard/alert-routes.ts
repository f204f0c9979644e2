/** The routes of alerts. */
import {
  type AlertChannel,
  alertChannelSchema,
  alertsSchema,
  alertTestRequestSchema,
  alertTestResultSchema,
} from '@dowel/admin-api';
import { describeAlerts, testAlerts } from '../actions/alert-actions.ts';
import type { AlertsContext } from '../alerts/alerts-context.ts';
import { ApiError } from '../base/errors.ts';
import { type AdminRoute, route } from './admin-route.ts';
import { limitOperator, type OperatorLimits } from './operator-limits.ts';

export interface AlertRoutesContext {
  alerts: AlertsContext;
  operatorLimits: OperatorLimits;
}

export function listAlertRoutes({ alerts, operatorLimits }: AlertRoutesContext): AdminRoute[] {
  return [
    route('GET /alerts', {
      role: 'viewer',
      summary: 'Open and recent alerts, and what became of the newest messages',
      answer: alertsSchema,
      handle: ({ session }) => describeAlerts(alerts, session.role),
    }),
    route('POST /alerts/channels/:channel/test', {
      role: 'operator',
      summary: 'Send a test message to `webhook` or `mail` now',
      body: alertTestRequestSchema,
      answer: alertTestResultSchema,
      handle({ session, actor, params, body: { reason } }) {
        const channel = channelOf(params.channel);
        limitOperator(operatorLimits, 'test-alerts', session.identity);
        return testAlerts(alerts, actor, { channel, reason });
      },
    }),
  ];
}

/** @throws ApiError `NOT_FOUND` */
function channelOf(text: string): AlertChannel {
  const channel = alertChannelSchema.safeParse(text).data;
  if (channel === undefined) throw new ApiError('NOT_FOUND', 'There is no such channel');
  return channel;
}

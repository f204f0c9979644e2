/** What operators do about alerts, on the page and by command. Each action has a row in the audit, also when it is refused. */
import {
  type AlertChannel,
  type Alerts,
  type AlertTestResult,
  alertChannelSchema,
  isRoleEnough,
  type OperatorRole,
} from '@dowel/admin-api';
import { recordAction } from '@dowel/installation-store';
import { alertLimits } from '../alerts/alert-settings.ts';
import type { AlertsContext } from '../alerts/alerts-context.ts';
import { testChannel } from '../alerts/deliver-alerts.ts';
import type { Actor } from './action-context.ts';
import { assertRole } from './assert-role.ts';
import { failureOf } from './failure-of.ts';
import { RefusedActionError } from './refused-action-error.ts';

/** Hosts, addresses and what they answered are for operators, as in the settings. */
export async function describeAlerts(context: AlertsContext, role: OperatorRole): Promise<Alerts> {
  const isOperator = isRoleEnough(role, 'operator');
  const { channels, ...report } = await context.store.alerts.report();
  return {
    now: context.now(),
    rules: alertLimits(context.settings),
    ...report,
    channels: alertChannelSchema.options.map((channel) => {
      const { target = null } = context.channels.find(({ name }) => name === channel) ?? {};
      const { last = null, waiting = 0 } = channels.find((each) => each.channel === channel) ?? {};
      const shown = isOperator ? last : last && { ...last, lastError: null, lastAnswer: null };
      return { channel, target: isOperator ? target : target && '', last: shown, waiting };
    }),
  };
}

/** Sends a message now, and waits for what its receiver says. @throws ApiError `ROLE_MISSING`, `NOT_FOUND` */
export function testAlerts(
  context: AlertsContext,
  actor: Actor,
  { channel, reason }: { channel: AlertChannel; reason: string },
): Promise<AlertTestResult> {
  return recordAction(context.store.audit, {
    entry: { ...actor, action: 'test-alerts', target: channel, reason },
    async act() {
      assertRole(actor, 'operator');
      const result = await testChannel(context, channel);
      if (!result) throw notSetUp(channel);
      return result;
    },
    endingOf: ({ isDelivered, message }) => ({
      result: isDelivered ? 'done' : 'failed',
      detail: message,
    }),
    failureOf,
  });
}

const settingsOf: Record<AlertChannel, string[]> = {
  webhook: ['DOWEL_ALERT_WEBHOOK_URL', 'DOWEL_ALERT_WEBHOOK_SECRET'],
  mail: ['DOWEL_ALERT_SMTP_URL', 'DOWEL_ALERT_MAIL_FROM', 'DOWEL_ALERT_MAIL_TO'],
};
const listFormat = new Intl.ListFormat('en-GB');

function notSetUp(channel: AlertChannel): RefusedActionError {
  const settings = settingsOf[channel];
  const message = `This channel is not set up. Set ${listFormat.format(settings)}`;
  return new RefusedActionError('NOT_FOUND', message, { kind: 'no_channel', settings });
}

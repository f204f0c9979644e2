/** What operators do about alerts, on the page and by command. Each action has a row in the audit, also when it is refused. */
import { type AuditEnding, recordAction, type Store } from '@dowel/installation-store';
import {
  type AlertChannel,
  type Alerts,
  type AlertTestResult,
  alertChannelSchema,
  type EndSilenceRequest,
  isRoleEnough,
  type OperatorRole,
  type SilenceRequest,
} from '@dowel/schema';
import { alertLimits } from '../alerts/alert-settings.ts';
import type { AlertsContext } from '../alerts/alerts-context.ts';
import { testChannel } from '../alerts/deliver-alerts.ts';
import type { Actor } from './action-context.ts';
import { assertRole } from './assert-role.ts';
import { failureOf } from './failure-of.ts';
import { RefusedActionError } from './refused-action-error.ts';

type ActionStore = Pick<Store, 'alerts' | 'audit'>;

const hourMs = 60 * 60_000;

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

/** A rule can be silenced before its alert opens. @throws ApiError `ROLE_MISSING` */
export function silenceAlert(
  { alerts, audit }: ActionStore,
  actor: Actor,
  { rule, subject = '', hours, reason }: SilenceRequest,
): Promise<void> {
  return recordAction(audit, {
    entry: { ...actor, action: 'silence-alert', target: targetOf(rule, subject), reason },
    async act() {
      assertRole(actor, 'operator');
      await alerts.silence({ rule, subject, by: actor.who, reason, forMs: hours * hourMs });
    },
    endingOf: () => ({
      result: 'done',
      detail: `Silenced for ${hours} h.`,
      meaning: { kind: 'silenced', hours },
    }),
    failureOf,
  });
}

/** @returns false: it was not silenced. @throws ApiError `ROLE_MISSING` */
export function endSilence(
  { alerts, audit }: ActionStore,
  actor: Actor,
  { rule, subject = '', reason }: EndSilenceRequest,
): Promise<boolean> {
  return recordAction(audit, {
    entry: { ...actor, action: 'end-silence', target: targetOf(rule, subject), reason },
    async act() {
      assertRole(actor, 'operator');
      return alerts.endSilence(rule, subject);
    },
    endingOf: (wasSilenced) => (wasSilenced ? { result: 'done', detail: null } : notSilenced),
    failureOf,
  });
}

const notSilenced: AuditEnding = {
  result: 'unchanged',
  detail: 'It was not silenced.',
  meaning: { kind: 'not_silenced' },
};

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

function targetOf(rule: string, subject: string): string {
  return subject === '' ? rule : `${rule} ${subject}`;
}

/** The routes of alerts. Each deed checks the role itself: the audit has its refusals. */
import { type AuditEnding, recordDeed, type Store } from '@dowel/installation-store';
import {
  type AlertChannel,
  type Alerts,
  alertChannelSchema,
  endSilenceRequestSchema,
  isRoleEnough,
  silenceRequestSchema,
} from '@dowel/schema';
import type Router from '@koa/router';
import type { Context } from 'koa';
import { alertLimits } from '../alerts/alert-settings.ts';
import type { AlertsContext } from '../alerts/alerts-context.ts';
import { testChannel } from '../alerts/deliver-alerts.ts';
import { ApiError } from '../errors.ts';
import type { Log } from '../log/log.ts';
import { readJson } from '../request/read-body.ts';
import { requestOf } from '../request/server-exchange.ts';
import { actorOf } from './action-routes.ts';
import { operatorOf, requireRole } from './operator.ts';

export interface AlertRoutesContext {
  store: Pick<Store, 'alerts' | 'audit'>;
  alerts: AlertsContext;
  logger: Pick<Log, 'error'>;
  now: () => number;
}

const hourMs = 60 * 60_000;

/** Register it where a request has an operator. */
export function addAlertRoutes(router: Router, context: AlertRoutesContext): void {
  router.get('/alerts', (ctx) => showAlerts(context, ctx));
  router.post('/alerts/silences', (ctx) => silence(context, ctx));
  router.post('/alerts/silences/end', (ctx) => endSilence(context, ctx));
  router.post('/alerts/channels/:channel/test', (ctx) =>
    test(context, ctx, ctx.params.channel ?? ''),
  );
}

/** Hosts, addresses and what they answered are for operators, as in the settings (docs/decisions/0047). */
async function showAlerts({ store, alerts, now }: AlertRoutesContext, ctx: Context): Promise<void> {
  const isOperator = isRoleEnough(operatorOf(ctx).role, 'operator');
  const { channels, ...report } = await store.alerts.report();
  const answer: Alerts = {
    now: now(),
    rules: alertLimits(alerts.settings),
    ...report,
    channels: alertChannelSchema.options.map((channel) => {
      const { target = null } = alerts.channels.find(({ name }) => name === channel) ?? {};
      const { last = null, waiting = 0 } = channels.find((each) => each.channel === channel) ?? {};
      const shown = last && { ...last, lastError: isOperator ? last.lastError : null };
      return { channel, target: isOperator ? target : target && '', last: shown, waiting };
    }),
  };
  ctx.body = answer;
}

async function silence({ store, logger }: AlertRoutesContext, ctx: Context): Promise<void> {
  const request = await readJson(requestOf(ctx, logger), silenceRequestSchema);
  const { rule, subject, hours, reason } = request;
  await recordDeed(store.audit, {
    entry: { ...actorOf(ctx), action: 'silence-alert', target: targetOf(rule, subject), reason },
    async act() {
      const { name } = requireRole(ctx, 'operator');
      await store.alerts.silence({ rule, subject, by: name, reason, forMs: hours * hourMs });
    },
    endingOf: () => ({ result: 'done', detail: `Silenced for ${hours} h.` }),
    failureOf,
  });
  ctx.status = 204;
}

async function endSilence({ store, logger }: AlertRoutesContext, ctx: Context): Promise<void> {
  const { rule, subject, reason } = await readJson(requestOf(ctx, logger), endSilenceRequestSchema);
  await recordDeed(store.audit, {
    entry: { ...actorOf(ctx), action: 'end-silence', target: targetOf(rule, subject), reason },
    async act() {
      requireRole(ctx, 'operator');
      return store.alerts.endSilence(rule, subject);
    },
    endingOf: (wasSilenced) =>
      wasSilenced
        ? { result: 'done', detail: null }
        : { result: 'unchanged', detail: 'It was not silenced.' },
    failureOf,
  });
  ctx.status = 204;
}

async function test({ store, alerts }: AlertRoutesContext, ctx: Context, name: string) {
  const channel = alertChannelSchema.safeParse(name).data;
  if (channel === undefined) throw new ApiError('NOT_FOUND', 'There is no such channel');
  ctx.body = await recordDeed(store.audit, {
    entry: { ...actorOf(ctx), action: 'test-alerts', target: channel },
    async act() {
      requireRole(ctx, 'operator');
      return sendTest(alerts, channel);
    },
    endingOf: ({ isDelivered, message }) => ({
      result: isDelivered ? 'done' : 'failed',
      detail: message,
    }),
    failureOf,
  });
}

async function sendTest(alerts: AlertsContext, channel: AlertChannel) {
  const result = await testChannel(alerts, channel);
  if (!result) throw new ApiError('NOT_FOUND', 'This channel is not configured');
  return result;
}

function targetOf(rule: string, subject: string): string {
  return subject === '' ? rule : `${rule} ${subject}`;
}

function failureOf(error: unknown): AuditEnding {
  if (error instanceof ApiError) return { result: 'refused', detail: error.message };
  return { result: 'failed', detail: 'It failed; see the log.' };
}

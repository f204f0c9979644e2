/** The API of the dashboard's page about alerts, under `/admin/api/alerts`. Points in time are epoch milliseconds. */
import { z } from 'zod';
import { actionReasonSchema } from '../action-reason.ts';
import { count, pointInTime } from '../point-in-time.ts';

/** What can be wrong, one alert each. `key_unreadable` has one alert for each encryption key. */
export const alertRuleSchema = z.enum([
  /** Installations have had no access for longer than the limit. One alert for all of them. */
  'broken_for',
  /** More than the limit's part of the installations is broken. */
  'broken_share',
  /** JWTs of strangers, or of a platform with wrong keys, are refused more often than the limit. */
  'refused_burst',
  /** Hook deliveries wait for an operator. */
  'hook_parked',
  /** A process lacks a key that stored values need. */
  'key_unreadable',
]);

export const alertChannelSchema = z.enum(['webhook', 'mail']);

/** Why a message is sent. */
const alertMessageKindSchema = z.enum(['opened', 'recovered']);

/** The facts when the rule was last true. */
export const alertFactsSchema = z.object({
  /** How many installations, hook deliveries, or refusals a minute; 1 for a key. */
  count,
  /** True if there may be more than `count`. */
  isAtLeast: z.boolean(),
  /** The installations that should work; null where the rule does not compare. */
  of: count.nullable(),
  /** What the rule allows: minutes, percent, or a number a minute; null: nothing is allowed. */
  limit: z.number().nonnegative().nullable(),
  /** The worst few, at most five. */
  worst: z.array(
    z.object({
      /** Null if it belongs to no installation. */
      installationId: z.string().nullable(),
      name: z.string(),
      /** A reason of docs/errors.md, or what else is known; may be empty. */
      detail: z.string(),
      /** What `name` stands for: installations of a cause, or refusals for a reason since `since`; null: one thing. */
      count: count.nullable().default(null),
      since: pointInTime.nullable(),
    }),
  ),
});

const alertSchema = z.object({
  id: z.string(),
  rule: alertRuleSchema,
  /** The id of the key; '' for the other rules. */
  subject: z.string(),
  /** Since when it has been wrong, as far as is known. */
  since: pointInTime,
  openedAt: pointInTime,
  /** Since when it has been right again. The alert recovers after some time, unless it is wrong again. Null: it is wrong. */
  clearSince: pointInTime.nullable(),
  /** Null: it is open. */
  recoveredAt: pointInTime.nullable(),
  facts: alertFactsSchema,
  /** The highest count while it was open. */
  peak: count,
});

/** The result of one attempt to send a message. The dashboard says it in the reader's language. */
export const alertAnswerSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('accepted') }),
  /** `code`: of a mail server's error, such as `EAUTH`. */
  z.object({ kind: z.literal('answered'), status: z.int(), code: z.string().nullable() }),
  /** Redirects are not followed. */
  z.object({ kind: z.literal('redirected'), status: z.int() }),
  z.object({ kind: z.literal('timed_out') }),
  /** The receiver has a private address that no setting names. */
  z.object({ kind: z.literal('private_address') }),
  /** `code`: of the network, such as `ECONNREFUSED`. */
  z.object({ kind: z.literal('unreachable'), code: z.string().nullable() }),
]);

/** A message to one channel. `failed`: given up after a day. */
const alertDeliverySchema = z.object({
  /** The same for each attempt. A webhook has it in its header `webhook-id`, a mail in its `Message-ID`. */
  id: z.string(),
  kind: alertMessageKindSchema,
  state: z.enum(['waiting', 'delivered', 'failed']),
  attempts: count,
  createdAt: pointInTime,
  /** When it ended; null while it waits. */
  settledAt: pointInTime.nullable(),
  /** The next attempt; null when there is none. */
  nextAttemptAt: pointInTime.nullable(),
  /** In English: the latest failure. Contains no secret. */
  lastError: z.string().nullable(),
  /** What `lastError` says. Null without one, and for messages of earlier versions. */
  lastAnswer: alertAnswerSchema.nullable(),
});

/** `GET /admin/api/alerts` */
export const alertsSchema = z.object({
  /** The server's clock. */
  now: pointInTime,
  /** The rules that are evaluated. */
  rules: z.array(z.object({ rule: alertRuleSchema, limit: z.number().nonnegative().nullable() })),
  /** The open alerts, the latest opened first. */
  open: z.array(alertSchema),
  /** The alerts that have recovered, the latest first, at most 50. */
  recent: z.array(alertSchema),
  channels: z.array(
    z.object({
      channel: alertChannelSchema,
      /** Where its messages go, without a secret; null: it is not configured. */
      target: z.string().nullable(),
      /** The newest message; null: there was none. */
      last: alertDeliverySchema.nullable(),
      /** Messages that wait for their next attempt. */
      waiting: count,
    }),
  ),
});

/** `POST /admin/api/alerts/channels/:channel/test` */
export const alertTestRequestSchema = z.strictObject({ reason: actionReasonSchema });

/** `POST /admin/api/alerts/channels/:channel/test`: the result of the message. */
export const alertTestResultSchema = z.object({
  channel: alertChannelSchema,
  isDelivered: z.boolean(),
  /** In English: what the receiver answered, or why it failed. Contains no secret. */
  message: z.string(),
  /** What `message` says. */
  answer: alertAnswerSchema,
  durationMs: z.number().nonnegative(),
});

export type Alert = z.infer<typeof alertSchema>;
export type AlertAnswer = z.infer<typeof alertAnswerSchema>;
export type AlertChannel = z.infer<typeof alertChannelSchema>;
export type AlertDelivery = z.infer<typeof alertDeliverySchema>;
export type AlertFacts = z.infer<typeof alertFactsSchema>;
export type AlertMessageKind = z.infer<typeof alertMessageKindSchema>;
export type AlertRule = z.infer<typeof alertRuleSchema>;
export type Alerts = z.infer<typeof alertsSchema>;
export type AlertTestResult = z.infer<typeof alertTestResultSchema>;

/** One HTTP request that the platform got or sent, with its answer. Points in time are real, in epoch milliseconds. */
import { lifecycleEventNames } from '@dowel/schema';
import { z } from 'zod';

/**
 * What the request is for.
 *
 * - `manifest`, `event`: the platform asks the plug-in's back end.
 * - `code`, `refresh`: the back end asks for tokens with a code, or with a refresh token.
 * - `trigger`: the back end asks for an access_token event.
 * - `api`: any other call of the platform's API.
 * - `key`: somebody loads a key document. It names no tenant.
 */
export const exchangeKinds = [
  'manifest',
  'event',
  'code',
  'refresh',
  'trigger',
  'api',
  'key',
] as const;

export const exchangeSummarySchema = z.object({
  /** Increases with each request. */
  id: z.number(),
  at: z.number(),
  /** Null while there is no answer. */
  answeredAt: z.number().nullable(),
  /** `in`: the platform got the request. */
  direction: z.enum(['in', 'out']),
  kind: z.enum(exchangeKinds),
  /** Null for a key document, and for a tenant that does not exist. */
  tenantId: z.string().nullable(),
  /** Null when the request does not show it. */
  pluginId: z.string().nullable(),
  /** Of kind `event`. */
  event: z.enum(lifecycleEventNames).nullable(),
  method: z.string(),
  url: z.string(),
  /** Null when no answer came, or when the platform gave none. */
  status: z.number().nullable(),
  /** Why it was refused, or why the answer to an event was not accepted. Null: it was accepted. */
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  /** The name of the fault that changed it. */
  fault: z.string().nullable(),
});

const headersSchema = z.record(z.string(), z.string());

export const exchangeSchema = exchangeSummarySchema.extend({
  headers: headersSchema,
  /** The first 16 KB. */
  body: z.string(),
  /** Null when there was none. Its body is cut after 16 KB. */
  answer: z.object({ headers: headersSchema, body: z.string() }).nullable(),
  /** The decoded JWT of an event. */
  jwt: z
    .object({
      header: z.record(z.string(), z.unknown()),
      claims: z.record(z.string(), z.unknown()),
    })
    .nullable(),
});

export type ExchangeKind = (typeof exchangeKinds)[number];
export type ExchangeSummary = z.infer<typeof exchangeSummarySchema>;
export type Exchange = z.infer<typeof exchangeSchema>;

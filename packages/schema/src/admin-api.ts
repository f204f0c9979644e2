/**
 * The BFF's API for the operators' dashboard, under `/admin/api`. Types without secret fields: what
 * cannot be named here cannot be shown. Points in time are epoch milliseconds.
 */
import { z } from 'zod';
import { lifecycleEventNames } from './lifecycle-events.ts';

/**
 * - `pending`: installed, no access token yet.
 * - `active`: has a token set; expired ones are refreshed by the next call.
 * - `awaiting_event`: the refresh token is dead; the platform was asked for a new access_token event.
 * - `uninstalled`: the platform removed it, or the installation failed; no secret is left.
 */
export const installationStatusSchema = z.enum([
  'pending',
  'active',
  'awaiting_event',
  'uninstalled',
]);

export const eventRecordSchema = z.object({
  id: z.number(),
  event: z.enum(lifecycleEventNames),
  receivedAt: z.number(),
  durationMs: z.number(),
  /** The HTTP status the platform was answered with. */
  status: z.number(),
  /** Why it was refused; null when accepted. */
  reason: z.string().nullable(),
});

export const tokenOperationSchema = z.object({
  id: z.number(),
  operation: z.enum(['exchange', 'refresh', 'trigger']),
  startedAt: z.number(),
  durationMs: z.number(),
  succeeded: z.boolean(),
  /** The token version that resulted; null when none did. */
  tokenVersion: z.number().nullable(),
  /** Why it failed; null when it succeeded. */
  reason: z.string().nullable(),
});

export const installationSummarySchema = z.object({
  id: z.string(),
  issuer: z.string(),
  tenantId: z.string(),
  pluginId: z.string(),
  status: installationStatusSchema,
  /** Which life of the installation this is; each install starts one. */
  generation: z.number(),
  grantedScopes: z.array(z.string()),
  accessToken: z
    .object({
      version: z.number(),
      issuedAt: z.number(),
      /** Null when the platform did not say. */
      expiresAt: z.number().nullable(),
    })
    .nullable(),
  hasRefreshToken: z.boolean(),
  instanceCount: z.number(),
  createdAt: z.number(),
  lastEvent: eventRecordSchema.nullable(),
  lastError: z.object({ reason: z.string(), at: z.number() }).nullable(),
});

/** `GET /admin/api/installations` */
export const installationListSchema = z.object({
  /** The BFF's clock, so that countdowns do not depend on the browser's. */
  now: z.number(),
  pluginName: z.string(),
  installations: z.array(installationSummarySchema),
});

/** `GET /admin/api/installations/:id`; newest events and operations first. */
export const installationDetailSchema = z.object({
  now: z.number(),
  pluginName: z.string(),
  installation: installationSummarySchema,
  requestedScopes: z.array(z.string()),
  instanceIds: z.array(z.string()),
  events: z.array(eventRecordSchema),
  tokenOperations: z.array(tokenOperationSchema),
});

/** `POST /admin/api/session` */
export const signInRequestSchema = z.strictObject({ code: z.string().min(1).max(256) });

/** `GET /admin/api/session` and the answer to a sign-in. */
export const adminSessionSchema = z.object({ expiresAt: z.number() });

/** Data of each `changed` message of the stream `GET /admin/api/changes` (server-sent events). */
export const changeSchema = z.object({ installationId: z.string() });

export type InstallationStatus = z.infer<typeof installationStatusSchema>;
export type EventRecord = z.infer<typeof eventRecordSchema>;
export type TokenOperation = z.infer<typeof tokenOperationSchema>;
export type InstallationSummary = z.infer<typeof installationSummarySchema>;
export type InstallationList = z.infer<typeof installationListSchema>;
export type InstallationDetail = z.infer<typeof installationDetailSchema>;
export type SignInRequest = z.infer<typeof signInRequestSchema>;
export type AdminSession = z.infer<typeof adminSessionSchema>;

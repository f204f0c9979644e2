/**
 * The BFF's API for the operators' dashboard, under `/admin/api`. No type has a field for a secret, so
 * none can be shown. Points in time are epoch milliseconds.
 */
import { z } from 'zod';
import { lifecycleEventNames } from './lifecycle-events.ts';

/** Epoch milliseconds. */
const pointInTime = z.int().nonnegative();
/** Milliseconds; negative when the clock was set back in between. */
const duration = z.number();
/** The database's number; counts up from 1. */
const rowId = z.int();

/**
 * - `pending`: installed, no access token yet.
 * - `active`: has a token set; expired ones are refreshed by the next call.
 * - `awaiting_event`: the refresh token is dead; a new access_token event was triggered.
 * - `uninstalled`: the platform removed it, or the installation failed; no secret is left.
 */
export const installationStatusSchema = z.enum([
  'pending',
  'active',
  'awaiting_event',
  'uninstalled',
]);

/** One verified event and its answer (Spec §4.1, §6). */
export const eventRecordSchema = z.object({
  id: rowId,
  event: z.enum(lifecycleEventNames),
  receivedAt: pointInTime,
  /** From the request to the answer. */
  durationMs: duration,
  /** The HTTP status of the answer. */
  status: z.int().min(100).max(599),
  /** Why it was refused: a reason of docs/errors.md; null when it was accepted. */
  reason: z.string().nullable(),
});

/** One token request or trigger (Spec §4.2, §4.3). */
export const tokenOperationSchema = z.object({
  id: rowId,
  operation: z.enum(['exchange', 'refresh', 'trigger']),
  startedAt: pointInTime,
  durationMs: duration,
  succeeded: z.boolean(),
  /** The version of the new token set; null when there is none. */
  tokenVersion: z.int().nullable(),
  /** Why it failed; null when it succeeded. */
  reason: z.string().nullable(),
});

/** One plug-in in one tenant, identified by issuer, tenant and plug-in together. */
export const installationSummarySchema = z.object({
  /** Our own id; the platform does not know it. */
  id: z.string(),
  /** `iss` of its events: the tenant's URL. */
  issuer: z.string(),
  /** UUID in lower case. */
  tenantId: z.string(),
  /** UUID in lower case. */
  pluginId: z.string(),
  status: installationStatusSchema,
  /** The number of the installation's life. */
  generation: z.int(),
  /** Of the current token set; empty without one. */
  grantedScopes: z.array(z.string()),
  /** Of the current token set, never the token itself; null without one. */
  accessToken: z
    .object({
      /** Counts up with every token set. */
      version: z.int(),
      issuedAt: pointInTime,
      /** From the platform; null if it did not name one. */
      expiresAt: z.number().nullable(),
    })
    .nullable(),
  hasRefreshToken: z.boolean(),
  /** Placed widgets. For an uninstalled plug-in, those that it had. */
  instanceCount: z.int().nonnegative(),
  createdAt: pointInTime,
  lastEvent: eventRecordSchema.nullable(),
  lastError: z.object({ reason: z.string(), at: pointInTime }).nullable(),
});

/**
 * A status, or `attention`: installations that an operator should check, because they have no access token
 * that can be refreshed, or had an error since the last one arrived.
 */
export const installationFilterSchema = z.enum([...installationStatusSchema.options, 'attention']);

/** Whether the filter `attention` includes an installation. */
export function needsAttention(installation: {
  status: InstallationStatus;
  /** Null: none since the last access token. */
  lastError: unknown;
}): boolean {
  const { status, lastError } = installation;
  if (status === 'active') return lastError !== null;
  return status !== 'uninstalled';
}

/** The query of `GET /admin/api/installations`. */
export const installationListQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  /** `next` of the previous page; opaque, and valid only with the same status and search. */
  after: z.string().max(4096).optional(),
  status: installationFilterSchema.optional(),
  /** The whole id of a tenant or plug-in, or the beginning of an issuer, with or without its scheme. */
  search: z
    .string()
    .trim()
    .max(2048)
    .refine((text) => !text.includes('\0'), { error: 'must not hold a NUL' })
    .optional(),
});

/** Counts stop here: a larger count would be slow. The number means itself or more. */
export const countLimit = 10_000;

const count = z.int().min(0).max(countLimit);

/** Of all installations, independent of the query. */
export const installationCountsSchema = z.object({
  pending: count,
  active: count,
  awaiting_event: count,
  uninstalled: count,
  attention: count,
  /** With an error in the last 24 hours. */
  recentlyFailed: count,
});

/** `GET /admin/api/installations`; the newest first, or ordered by issuer when an issuer is searched. */
export const installationListSchema = z.object({
  /** The BFF's clock, so that countdowns do not depend on the browser's. */
  now: pointInTime,
  pluginName: z.string(),
  installations: z.array(installationSummarySchema),
  /** Where the next page begins; null on the last one. */
  next: z.string().nullable(),
  counts: installationCountsSchema,
});

/** `GET /admin/api/installations/:id`; newest events and operations first. */
export const installationDetailSchema = z.object({
  now: pointInTime,
  pluginName: z.string(),
  installation: installationSummarySchema,
  requestedScopes: z.array(z.string()),
  instanceIds: z.array(z.string()),
  events: z.array(eventRecordSchema),
  tokenOperations: z.array(tokenOperationSchema),
});

/** `POST /admin/api/session`: a one-time code. */
export const signInRequestSchema = z.strictObject({ code: z.string().min(1).max(256) });

/** `POST /admin/api/session/password` */
export const passwordSignInRequestSchema = z.strictObject({
  name: z.string().trim().toLowerCase().min(1).max(64),
  password: z.string().min(1).max(1_024),
});

/**
 * What an operator may do, each role also what the one before may:
 *
 * - `viewer`: read.
 * - `operator`: act on installations.
 * - `owner`: purge, and manage people and keys.
 */
export const operatorRoleSchema = z.enum(['viewer', 'operator', 'owner']);

/** How an operator signed in. `code`: by a one-time code. */
export const signInMethodSchema = z.enum(['code', 'password', 'oidc']);

/** `GET /admin/api/session` and the answer to a sign-in. */
export const adminSessionSchema = z.object({
  /** The operator's name. */
  name: z.string(),
  role: operatorRoleSchema,
  method: signInMethodSchema,
  /** The absolute limit. */
  expiresAt: pointInTime,
});

/** `GET /admin/api/session/methods`: how operators may sign in here. */
export const signInMethodsSchema = z.object({ methods: z.array(signInMethodSchema) });

/** Why a sign-in at the identity provider failed: the query `refused` of the sign-in page. */
export const oidcRefusalSchema = z.enum([
  /** It was not begun in this browser, or more than ten minutes ago. */
  'expired',
  /** The provider, or the person at it, said no. */
  'refused',
  /** The provider named nothing that gives a role. */
  'no_role',
  /** The provider did not answer, or its answer cannot be believed; the log says why. */
  'provider_failed',
]);

/** `DELETE /admin/api/session` */
export const signOutAnswerSchema = z.object({
  /** Where the browser ends the identity provider's session too; null if there is none. */
  continueAt: z.string().nullable(),
});

/** `GET /admin/api/sessions`, the newest first: one's own; for an owner, those of all. */
export const sessionListSchema = z.object({
  sessions: z.array(
    adminSessionSchema.extend({
      id: z.string(),
      createdAt: pointInTime,
      /** It is the session of this request. */
      isCurrent: z.boolean(),
    }),
  ),
});

/** Data of each `changed` message of the stream `GET /admin/api/changes` (server-sent events). */
export const changeSchema = z.object({ installationId: z.string() });

export type InstallationStatus = z.infer<typeof installationStatusSchema>;
export type EventRecord = z.infer<typeof eventRecordSchema>;
export type TokenOperation = z.infer<typeof tokenOperationSchema>;
export type InstallationSummary = z.infer<typeof installationSummarySchema>;
export type InstallationFilter = z.infer<typeof installationFilterSchema>;
export type InstallationListQuery = z.infer<typeof installationListQuerySchema>;
export type InstallationCounts = z.infer<typeof installationCountsSchema>;
export type InstallationList = z.infer<typeof installationListSchema>;
export type InstallationDetail = z.infer<typeof installationDetailSchema>;
export type OperatorRole = z.infer<typeof operatorRoleSchema>;
export type SignInMethod = z.infer<typeof signInMethodSchema>;
export type SignInMethods = z.infer<typeof signInMethodsSchema>;
export type OidcRefusal = z.infer<typeof oidcRefusalSchema>;
export type SignOutAnswer = z.infer<typeof signOutAnswerSchema>;
export type SessionList = z.infer<typeof sessionListSchema>;
export type SignInRequest = z.infer<typeof signInRequestSchema>;
export type PasswordSignInRequest = z.infer<typeof passwordSignInRequestSchema>;
export type AdminSession = z.infer<typeof adminSessionSchema>;

/** The record of what operators did. Points in time are epoch milliseconds. */
import { z } from 'zod';
import {
  type ActionName,
  actionEffectSchema,
  actionFailureReasonSchema,
  actionNameSchema,
  actionRefusalReasonSchema,
} from './admin-actions.ts';
import { withoutNul } from './plain-text.ts';
import { count, pointInTime } from './point-in-time.ts';
import { operatorIdentitySchema, operatorRoleSchema } from './sign-in-api.ts';

/** What operators do apart from actions on an installation. */
const otherAuditedActions = [
  'sign-in',
  'sign-out',
  'end-session',
  'create-sign-in-link',
  'export',
  'start-run',
  'stop-run',
  'test-alerts',
  'add-account',
  'change-role',
  'create-password-link',
  'change-password',
  'remove-account',
  'erase-user',
  'rotate-keys',
  'reencrypt',
  'prune-keys',
] as const;

/** What the audit can name. */
export type AuditedAction = ActionName | (typeof otherAuditedActions)[number];

export const auditedActions: readonly AuditedAction[] = [
  ...actionNameSchema.options,
  ...otherAuditedActions,
];

/** False: another version wrote it. */
export function isAuditedAction(name: string): name is AuditedAction {
  return auditedActions.some((known) => known === name);
}

/** `page`: the dashboard. `cli`: the command `dowel`, at the machine named as `from`. */
const auditWaySchema = z.enum(['page', 'cli']);

/**
 * - `begun`: it runs, or its process ended before it wrote the result.
 * - `done`, `unchanged`: as in `actionResultSchema`.
 * - `refused`, `failed`: it was not done.
 */
export const auditResultSchema = z.enum(['begun', 'done', 'unchanged', 'refused', 'failed']);

/** What became of an action, for those who say it in another language. Contains no secret. */
export const auditMeaningSchema = z.discriminatedUnion('kind', [
  /** An action was done, or had been done before. */
  z.object({
    kind: z.literal('effect'),
    effect: actionEffectSchema,
    /** Only for `test`: the answer of the platform. */
    call: z.object({ status: z.int(), durationMs: z.number() }).optional(),
    /** Only for `refresh`: the version of the new token set. */
    tokenVersion: z.int().optional(),
    /** Only for `end-sessions`: how many were open. */
    sessions: count.optional(),
    /** Only for `keep`. */
    keptUntil: pointInTime.optional(),
  }),
  /** An action was refused for a reason other than the role. */
  z.object({ kind: z.literal('refusal'), refusal: actionRefusalReasonSchema }),
  /** An action was tried without success. `reason`: a code of docs/errors.md. */
  z.object({
    kind: z.literal('failure'),
    failure: actionFailureReasonSchema,
    reason: z.string().optional(),
  }),
  z.object({
    kind: z.literal('role_missing'),
    needed: operatorRoleSchema,
    own: operatorRoleSchema,
  }),
  /** It failed for a reason that is in the log. */
  z.object({ kind: z.literal('failed') }),
  /** The account has this role. */
  z.object({ kind: z.literal('role_given'), role: operatorRoleSchema }),
  z.object({ kind: z.literal('no_account') }),
  z.object({ kind: z.literal('account_exists') }),
  /** The person set the password by a link. */
  z.object({ kind: z.literal('by_link') }),
  /** `count` rows had the id of the user. */
  z.object({ kind: z.literal('erased'), count }),
  /** The channel is not set up. `settings`: the names of those that it needs. */
  z.object({ kind: z.literal('no_channel'), settings: z.array(z.string()) }),
  /** The run takes `count` installations. */
  z.object({ kind: z.literal('run_started'), count }),
  /** A run of the same action is under way. */
  z.object({ kind: z.literal('run_under_way') }),
  /** The run was over, or stopping, before. */
  z.object({ kind: z.literal('run_over') }),
  /** `isWhole`: false if the export broke off after `count` installations. */
  z.object({ kind: z.literal('exported'), count, format: z.string(), isWhole: z.boolean() }),
  /** The key is the first of the key file. */
  z.object({ kind: z.literal('key_active'), keyId: z.string() }),
  z.object({ kind: z.literal('keys_removed'), keyIds: z.array(z.string()) }),
  z.object({ kind: z.literal('resealed'), count, keyId: z.string() }),
]);

/** Who did what, on what, why and from where, and the result. */
const auditEntrySchema = z.object({
  id: z.int(),
  at: pointInTime,
  who: z.string(),
  /** Who `who` is; null for a command, and where another version wrote it. */
  identity: operatorIdentitySchema.nullable(),
  role: operatorRoleSchema,
  way: auditWaySchema,
  /** The address of the request, or the machine's name; null if unknown. */
  from: z.string().nullable(),
  /** A {@link AuditedAction}; another version may write more. */
  action: z.string(),
  installationId: z.string().nullable(),
  /** The name or host of the installation at that time, or the name of what else was changed. */
  target: z.string().nullable(),
  /** Null for an action that needs none. */
  reason: z.string().nullable(),
  result: auditResultSchema,
  /** In English: the result; or the answer of another system, unchanged. */
  detail: z.string().nullable(),
  /** The meaning of `detail`. Null if `detail` is the answer of another system, or if another version wrote it. */
  meaning: auditMeaningSchema.nullable().catch(null),
  /** The run that it was part of. */
  runId: z.string().nullable(),
  /** How often the role forbade it within a day: repetitions have no rows of their own. 1 for all else. */
  count: z.int().positive(),
  /** The last time that it was refused. */
  lastAt: pointInTime,
});

/** The query of `GET /admin/api/audit`, the newest first. */
export const auditQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  /** `next` of the previous page. */
  after: z.string().max(100).optional(),
  /** The beginning of a name, in any case. */
  who: withoutNul(z.string().trim().min(1).max(200)).optional(),
  action: withoutNul(z.string().trim().min(1).max(100)).optional(),
  installationId: withoutNul(z.string().min(1).max(100)).optional(),
  runId: withoutNul(z.string().min(1).max(100)).optional(),
  result: auditResultSchema.optional(),
  /** From this time on. */
  since: z.coerce.number().int().nonnegative().optional(),
  /** Before this time. */
  until: z.coerce.number().int().nonnegative().optional(),
});

export const auditListSchema = z.object({
  entries: z.array(auditEntrySchema),
  next: z.string().nullable(),
});

export type AuditWay = z.infer<typeof auditWaySchema>;
export type AuditResult = z.infer<typeof auditResultSchema>;
export type AuditMeaning = z.infer<typeof auditMeaningSchema>;
export type AuditEntry = z.infer<typeof auditEntrySchema>;
export type AuditQuery = z.infer<typeof auditQuerySchema>;
export type AuditList = z.infer<typeof auditListSchema>;

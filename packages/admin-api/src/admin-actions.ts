/**
 * What an operator can do to an installation, and runs over many installations. The path is
 * `POST /admin/api/installations/:id/actions/<name>`. Points in time are epoch milliseconds.
 */
import { z } from 'zod';
import { actionReasonSchema } from './action-reason.ts';
import { fleetQuerySchema } from './fleet/fleet-api.ts';
import { plainLines, plainText, withoutNul } from './plain-text.ts';
import { pointInTime } from './point-in-time.ts';
import { isRoleEnough, type OperatorRole } from './sign-in-api.ts';

const reasoned = z.strictObject({ reason: actionReasonSchema });

/** The longest time that an uninstalled record is kept, counted from the action. */
export const longestKeepDays = 365;

/** The body of each action's request, by the action's name. */
export const actionRequestSchemas = {
  /** Presents the refresh token now. */
  refresh: reasoned,
  /** Asks the platform for a new access_token event now, ahead of the pause between two requests. */
  ask: reasoned,
  /** Sends one GET to the platform with the stored access token. Renews nothing. */
  test: reasoned,
  /** From now on calls fail with `INSTALLATION_PAUSED`, and nothing is refreshed or requested. */
  pause: reasoned,
  resume: reasoned,
  /** Ends an installation whose tenant has a newer address, as an uninstall would. */
  end: reasoned,
  /** Ends all sessions of the installation's pages. A page opens its next one with a new init JWT. */
  'end-sessions': reasoned,
  /** Lets a parked hook delivery run again. */
  'replay-hook': reasoned.extend({ hookId: withoutNul(z.string().min(1).max(200)) }),
  /** A parked hook delivery never runs again. */
  'drop-hook': reasoned.extend({ hookId: withoutNul(z.string().min(1).max(200)) }),
  /** Keeps the record of an uninstalled installation longer: until then, at most {@link longestKeepDays} days. */
  keep: reasoned.extend({ until: pointInTime }),
  /** Deletes an uninstalled installation with its identity and history. `name`: its name, or its host. */
  purge: reasoned.extend({ name: z.string().trim().min(1).max(200) }),
  /** What operators call the installation. An empty text removes it; what is left out stays. */
  name: reasoned
    .extend({ name: plainText(80).optional(), notes: plainLines(2_000).optional() })
    .refine(({ name, notes }) => name !== undefined || notes !== undefined, {
      error: 'Give a name or notes',
    }),
  /** Marks a refused install as seen. */
  acknowledge: reasoned,
} as const satisfies Record<string, z.ZodObject>;

export const actionNameSchema = z.enum(
  Object.keys(actionRequestSchemas) as [ActionName, ...ActionName[]],
);

/** The role that each action needs. */
export const actionRoles: Readonly<Record<ActionName, OperatorRole>> = {
  refresh: 'operator',
  ask: 'operator',
  test: 'operator',
  pause: 'operator',
  resume: 'operator',
  end: 'operator',
  'end-sessions': 'operator',
  'replay-hook': 'operator',
  'drop-hook': 'operator',
  keep: 'operator',
  purge: 'owner',
  name: 'operator',
  acknowledge: 'operator',
};

/** Whether a role is enough for an action. */
export function mayAct(role: OperatorRole, action: ActionName): boolean {
  return isRoleEnough(role, actionRoles[action]);
}

/** Why an action was not done, one word of a closed list. */
export const actionRefusalReasonSchema = z.enum([
  /** The operator's role is not enough. */
  'role_missing',
  /** There is no such installation. */
  'unknown_installation',
  /** It has no tokens yet. */
  'no_tokens',
  /** The platform gave no refresh token. */
  'no_refresh_token',
  /** The refresh token is dead; only a new event helps. */
  'awaiting_event',
  /** The access token has run out. */
  'token_ended',
  /** It is paused. */
  'paused',
  /** It is uninstalled. */
  'uninstalled',
  /** It is not uninstalled. */
  'still_installed',
  /** Events from before its end may still arrive. */
  'ended_recently',
  /** The event contained no way to request another one, or its secret is unreadable. */
  'cannot_ask',
  /** An exchange runs, or tokens have just changed. */
  'busy',
  /** The token endpoint asked to wait, or there were too many refreshes. */
  'too_early',
  /** The typed name is not the installation's. */
  'name_differs',
  /** The record is kept until that date anyway, or it is too far ahead. */
  'date_out_of_range',
  /** The hook delivery is not parked. */
  'hook_not_parked',
  /** The life of the hook delivery has ended. */
  'hook_superseded',
  /** Its install was not refused. */
  'not_refused',
  /** Its tenant has no newer address. */
  'no_newer_address',
]);

/** What an action did: one word of a closed list, so that it can be translated. */
export const actionEffectSchema = z.enum([
  'refreshed',
  /** The platform accepted the request for an event. */
  'asked',
  /** An event was requested a moment ago, or is being exchanged. */
  'asked_before',
  'tested',
  'paused',
  'paused_before',
  'resumed',
  'not_paused',
  'ended',
  'ended_before',
  'sessions_ended',
  'no_session',
  'hook_queued',
  'hook_dropped',
  'kept',
  'kept_before',
  'purged',
  'described',
  'described_before',
  'marked',
  'marked_before',
]);

/** Why an action that was tried had no success, one word of a closed list. */
export const actionFailureReasonSchema = z.enum([
  /** The platform did not accept the request for an event. */
  'not_taken',
  /** The token endpoint gave no new tokens. */
  'no_new_tokens',
  /** There were too many refreshes; nothing was sent. */
  'too_many_refreshes',
  /** The refresh token is dead, and the requested event has not come yet. */
  'event_awaited',
  'timed_out',
  /** No connection to the platform was possible. */
  'unreachable',
]);

/** The answer to an action that was done, or had been done before (`unchanged`). HTTP 200. */
export const actionResultSchema = z.object({
  action: actionNameSchema,
  installationId: z.string(),
  outcome: z.enum(['done', 'unchanged']),
  effect: actionEffectSchema,
  /** In English: what was done. */
  message: z.string(),
  /** The id of its row in the audit. */
  auditId: z.int(),
  /** Only for `test`: the URL that was called, and its answer. */
  call: z
    .object({ method: z.literal('GET'), url: z.string(), status: z.int(), durationMs: z.number() })
    .optional(),
  /** Only for `refresh`: the version of the new token set. */
  tokenVersion: z.int().optional(),
  /** Only for `end-sessions`: how many were open. */
  sessions: z.int().nonnegative().optional(),
});

/** The answer to an action that was not done. HTTP 403 for a missing role, 404 for an unknown installation, else 409. */
export const actionRefusalSchema = z.object({
  code: z.literal('ACTION_REFUSED'),
  refusal: actionRefusalReasonSchema,
  /** In English: what was not done, why not, and what to do instead. */
  message: z.string(),
  what: z.string(),
  why: z.string(),
  instead: z.string(),
  /** The id of its row in the audit. */
  auditId: z.int(),
});

/** The answer to an action that was tried without success. HTTP 502. */
const actionFailureSchema = z.object({
  code: z.literal('ACTION_FAILED'),
  failure: actionFailureReasonSchema,
  /** What the platform or the token endpoint gave as its reason, a code of docs/errors.md. */
  reason: z.string().optional(),
  message: z.string(),
  what: z.string(),
  why: z.string(),
  instead: z.string(),
  auditId: z.int(),
});

/** The answer to an action that was not done, for one of two causes. */
export const undoneActionSchema = z.discriminatedUnion('code', [
  actionRefusalSchema,
  actionFailureSchema,
]);

/** The actions that may be done to many installations at once. */
export const runActionSchema = z.enum([
  'refresh',
  'ask',
  'test',
  'pause',
  'resume',
  'end-sessions',
  'acknowledge',
]);

/** `POST /admin/api/runs`. Either ids or a filter; the filter is that of the list of installations. */
export const runRequestSchema = z.strictObject({
  action: runActionSchema,
  reason: actionReasonSchema,
  ids: z
    .array(withoutNul(z.string().min(1).max(100)))
    .min(1)
    .max(10_000)
    .optional(),
  filter: fleetQuerySchema
    .omit({ limit: true, after: true, sort: true, direction: true })
    .strict()
    .optional(),
});

/** `stopping`: actions under way are completed, and no others begin. */
const runStateSchema = z.enum(['running', 'stopping', 'done', 'stopped']);

/** `GET /admin/api/runs/:id`, and each of `GET /admin/api/runs`. */
export const runSchema = z.object({
  id: z.string(),
  action: runActionSchema,
  reason: z.string(),
  who: z.string(),
  state: runStateSchema,
  startedAt: pointInTime,
  /** Null while it runs. */
  endedAt: pointInTime.nullable(),
  /** How many installations it takes. */
  total: z.int().nonnegative(),
  done: z.int().nonnegative(),
  unchanged: z.int().nonnegative(),
  refused: z.int().nonnegative(),
  failed: z.int().nonnegative(),
  /** How many were refused, by reason. */
  refusals: z.partialRecord(actionRefusalReasonSchema, z.int().nonnegative()),
});

/** The runs of the last day, the newest first; at most 50. */
export const runListSchema = z.object({ runs: z.array(runSchema) });

export type ActionName = keyof typeof actionRequestSchemas;
export type ActionRequest<Name extends ActionName> = z.infer<(typeof actionRequestSchemas)[Name]>;
export type ActionRefusalReason = z.infer<typeof actionRefusalReasonSchema>;
export type ActionEffect = z.infer<typeof actionEffectSchema>;
export type ActionFailureReason = z.infer<typeof actionFailureReasonSchema>;
export type ActionResult = z.infer<typeof actionResultSchema>;
export type ActionRefusal = z.infer<typeof actionRefusalSchema>;
export type ActionFailure = z.infer<typeof actionFailureSchema>;
export type UndoneAction = z.infer<typeof undoneActionSchema>;
export type RunAction = z.infer<typeof runActionSchema>;
export type RunRequest = z.infer<typeof runRequestSchema>;
export type Run = z.infer<typeof runSchema>;

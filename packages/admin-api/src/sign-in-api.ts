/** The API for signing in and for one's own sessions, under `/admin/api/session`. Points in time are epoch milliseconds. */
import { z } from 'zod';
import { withoutNul } from './plain-text.ts';
import { pointInTime } from './point-in-time.ts';

/** `POST /admin/api/session`: a one-time code. */
export const signInRequestSchema = z.strictObject({ code: z.string().min(1).max(256) });

/** `POST /admin/api/session/password` */
export const passwordSignInRequestSchema = z.strictObject({
  name: withoutNul(z.string().trim().toLowerCase().min(1).max(64)),
  password: z.string().min(1).max(1_024),
});

/**
 * What an operator may do. Each role also has the rights of the roles before it:
 *
 * - `viewer`: read.
 * - `operator`: act on installations.
 * - `owner`: purge, and manage people and keys.
 */
export const operatorRoleSchema = z.enum(['viewer', 'operator', 'owner']);

/** Whether a role allows what `needed` allows. The schema lists the roles from the lowest to the highest. */
export function isRoleEnough(role: OperatorRole, needed: OperatorRole): boolean {
  const { options } = operatorRoleSchema;
  return options.indexOf(role) >= options.indexOf(needed);
}

/** How an operator signed in. `code`: by a one-time code. */
export const signInMethodSchema = z.enum(['code', 'password', 'oidc']);

/** Who an operator is. The name is only a label: another method, or another provider, may know the same name. */
export const operatorIdentitySchema = z.object({
  method: signInMethodSchema,
  /** The identity provider; null for accounts and one-time codes of this database. */
  issuer: z.string().nullable(),
  /** The name of the account or the code, or the provider's own id of the person. */
  subject: z.string(),
});

/** The languages of the dashboard. */
export const dashboardLanguageSchema = z.enum(['en', 'de']);

/** `POST /admin/api/session/language` */
export const languageRequestSchema = z.strictObject({ language: dashboardLanguageSchema });

/** `GET /admin/api/session` and the answer to a sign-in. */
export const adminSessionSchema = z.object({
  /** The operator's name. */
  name: z.string(),
  role: operatorRoleSchema,
  method: signInMethodSchema,
  /** The absolute limit. */
  expiresAt: pointInTime,
  /** The one that the operator chose, in any browser; null: none so far. */
  language: dashboardLanguageSchema.nullable(),
});

/** `GET /admin/api/session/methods`: how operators may sign in here. */
export const signInMethodsSchema = z.object({ methods: z.array(signInMethodSchema) });

/** Why a sign-in at the identity provider failed: the query `refused` of the sign-in page. */
export const oidcRefusalSchema = z.enum([
  /** It was not begun in this browser, or more than ten minutes ago. */
  'expired',
  /** The provider, or the person who signs in there, refused. */
  'refused',
  /** Nothing in the provider's answer gives a role. */
  'no_role',
  /** The provider did not answer, or its answer cannot be trusted; the log has the reason. */
  'provider_failed',
  /** Too many sign-ins from this address or network failed: none is tried for 15 minutes. */
  'too_many',
]);

/** `DELETE /admin/api/session` */
export const signOutAnswerSchema = z.object({
  /** Where the browser ends the identity provider's session too; null if there is none. */
  continueAt: z.string().nullable(),
});

/** `GET /admin/api/sessions`, the newest first: one's own; for an owner, those of all. */
export const sessionListSchema = z.object({
  sessions: z.array(
    adminSessionSchema.omit({ language: true }).extend({
      id: z.string(),
      createdAt: pointInTime,
      /** At most a minute too early. */
      lastUsedAt: pointInTime,
      /** Of the sign-in; for a viewer, its network, such as `192.0.2.0/24`. Null: unknown. */
      address: z.string().nullable(),
      /** Such as `Firefox`; null: unknown. */
      browser: z.string().nullable(),
      /** The operating system, such as `Linux`; null: unknown. */
      system: z.string().nullable(),
      /** It is a session of the operator who asks. */
      isOwn: z.boolean(),
      /** It is the session of this request. */
      isCurrent: z.boolean(),
    }),
  ),
});

export type DashboardLanguage = z.infer<typeof dashboardLanguageSchema>;
export type OperatorRole = z.infer<typeof operatorRoleSchema>;
export type SignInMethod = z.infer<typeof signInMethodSchema>;
export type OperatorIdentity = z.infer<typeof operatorIdentitySchema>;
export type OidcRefusal = z.infer<typeof oidcRefusalSchema>;
export type SignOutAnswer = z.infer<typeof signOutAnswerSchema>;
export type SessionList = z.infer<typeof sessionListSchema>;
export type SignInRequest = z.infer<typeof signInRequestSchema>;
export type PasswordSignInRequest = z.infer<typeof passwordSignInRequestSchema>;
export type AdminSession = z.infer<typeof adminSessionSchema>;

/** The API for accounts and passwords of the dashboard, under `/admin/api`. Points in time are epoch milliseconds. */
import { z } from 'zod';
import { actionReasonSchema } from './action-reason.ts';
import { pointInTime } from './point-in-time.ts';
import { operatorRoleSchema } from './sign-in-api.ts';

/** Shorter passwords are refused. Length makes a password strong, so there is no other rule. */
export const minPasswordLength = 12;

/** The name of an account, in lower case. */
export const accountNameSchema = z
  .string()
  .trim()
  .toLowerCase()
  .regex(
    /^[a-z0-9][a-z0-9._@+-]{0,63}$/,
    'must have at most 64 letters of a to z, digits, dots, hyphens, _, @ and +, such as ada@example.com',
  );

/** A password that a person sets. Longer ones are refused, because each one is hashed. */
export const newPasswordSchema = z
  .string()
  .max(1_024)
  .refine(
    // Code points, as NIST SP 800-63B counts them.
    (password) => Array.from(password).length >= minPasswordLength,
    `needs at least ${minPasswordLength} characters; a few words will do`,
  );

/** `GET /admin/api/accounts`, by name. */
export const accountListSchema = z.object({
  accounts: z.array(
    z.object({
      name: z.string(),
      role: operatorRoleSchema,
      createdAt: pointInTime,
      /** False until the person has set one. */
      hasPassword: z.boolean(),
      /** The end of the link that was not used yet; it may have passed. Null: there is none. */
      linkExpiresAt: pointInTime.nullable(),
    }),
  ),
});

/** `POST /admin/api/accounts`. The answer is a {@link passwordLinkSchema}. */
export const addAccountRequestSchema = z.strictObject({
  name: accountNameSchema,
  role: operatorRoleSchema,
  reason: actionReasonSchema,
});

/** `POST /admin/api/accounts/:name/role`. It ends the account's sessions. */
export const changeRoleRequestSchema = z.strictObject({
  role: operatorRoleSchema,
  reason: actionReasonSchema,
});

/** `POST /admin/api/accounts/:name/remove`. It ends the account's sessions. */
export const removeAccountRequestSchema = z.strictObject({ reason: actionReasonSchema });

/** `POST /admin/api/accounts/:name/password-link`. The answer is a {@link passwordLinkSchema}. */
export const createPasswordLinkRequestSchema = z.strictObject({ reason: actionReasonSchema });

/** A link with which a person sets the password of an account, once. */
export const passwordLinkSchema = z.object({
  /** A secret, because its fragment has the code. */
  url: z.string(),
  expiresAt: pointInTime,
});

const code = z.string().min(1).max(256);

/** `POST /admin/api/password-links/check` */
export const checkPasswordLinkRequestSchema = z.strictObject({ code });

/** What a password link is good for. `unknown`: it is wrong, or a newer one replaced it. */
export const passwordLinkStateSchema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('open'), name: z.string(), expiresAt: pointInTime }),
  z.object({ state: z.enum(['used', 'expired', 'unknown']) }),
]);

/** `POST /admin/api/password-links/redeem`. It ends the account's sessions, and signs in. */
export const redeemPasswordLinkRequestSchema = z.strictObject({
  code,
  password: newPasswordSchema,
});

/** `POST /admin/api/account/password`. It ends the account's other sessions. */
export const changePasswordRequestSchema = z.strictObject({
  /** The one until now. */
  password: z.string().min(1).max(1_024),
  newPassword: newPasswordSchema,
});

/** `POST /admin/api/sessions/:id/end` */
export const endSessionRequestSchema = z.strictObject({ reason: actionReasonSchema });

export type AccountList = z.infer<typeof accountListSchema>;
export type AddAccountRequest = z.infer<typeof addAccountRequestSchema>;
export type ChangeRoleRequest = z.infer<typeof changeRoleRequestSchema>;
export type PasswordLink = z.infer<typeof passwordLinkSchema>;
export type PasswordLinkState = z.infer<typeof passwordLinkStateSchema>;
export type RedeemPasswordLinkRequest = z.infer<typeof redeemPasswordLinkRequestSchema>;
export type ChangePasswordRequest = z.infer<typeof changePasswordRequestSchema>;

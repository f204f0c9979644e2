/** The owner's API for the accounts of the dashboard, under `/admin/api/accounts`. No type has a password. */
import { z } from 'zod';
import { actionReasonSchema } from './action-reason.ts';
import { operatorRoleSchema } from './sign-in-api.ts';

/** `GET /admin/api/accounts`, by name. */
export const accountListSchema = z.object({
  accounts: z.array(
    z.object({
      name: z.string(),
      role: operatorRoleSchema,
      /** Epoch milliseconds. */
      createdAt: z.int().nonnegative(),
    }),
  ),
});

/** `POST /admin/api/accounts/:name/role`. It ends the account's sessions. */
export const changeRoleRequestSchema = z.strictObject({
  role: operatorRoleSchema,
  reason: actionReasonSchema,
});

/** `POST /admin/api/accounts/:name/remove`. It ends the account's sessions. */
export const removeAccountRequestSchema = z.strictObject({ reason: actionReasonSchema });

/** `POST /admin/api/sessions/:id/end` */
export const endSessionRequestSchema = z.strictObject({ reason: actionReasonSchema });

export type AccountList = z.infer<typeof accountListSchema>;
export type ChangeRoleRequest = z.infer<typeof changeRoleRequestSchema>;

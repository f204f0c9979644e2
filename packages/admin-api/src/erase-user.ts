/** Erasing what is stored of a user of the platform, for owners. */
import { identifier, uuid } from '@dowel/schema';
import { z } from 'zod';
import { actionReasonSchema } from './action-reason.ts';

/** A shorter id may be part of any word. */
const shortestNamedId = 8;

/** `POST /admin/api/users/erase`. The id is in the body, because proxies log URLs. */
export const eraseUserRequestSchema = z
  .strictObject({
    /** The platform's id of the user, exactly as in `ctx.userId`. */
    userId: identifier(256),
    /** Left out: in every tenant. */
    tenantId: uuid.optional(),
    reason: actionReasonSchema,
  })
  .refine(({ userId, reason }) => userId.length < shortestNamedId || !reason.includes(userId), {
    path: ['reason'],
    error: "must not contain the user's id, because the audit keeps the reason",
  });

/** How many rows had the user's id. */
export const eraseUserResultSchema = z.object({ rows: z.int().nonnegative() });

export type EraseUserRequest = z.infer<typeof eraseUserRequestSchema>;
export type EraseUserResult = z.infer<typeof eraseUserResultSchema>;

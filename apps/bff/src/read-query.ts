/** Reads a request's query by a schema. */
import type { Context } from 'koa';
import type { z } from 'zod';
import { ApiError } from './api-error.ts';

/** @throws ApiError `BAD_REQUEST` that names the first wrong parameter. */
export function readQuery<Schema extends z.ZodType>(
  ctx: Context,
  schema: Schema,
): z.output<Schema> {
  const parsed = schema.safeParse({ ...ctx.query });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ApiError('BAD_REQUEST', `${issue?.path.join('.')}: ${issue?.message}`);
}

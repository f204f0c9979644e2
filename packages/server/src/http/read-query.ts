/** Reads a request's query by a schema. */
import { describeIssue, plainWords } from '@dowel/schema';
import type { Context } from 'koa';
import type { z } from 'zod';
import { ApiError } from '../errors.ts';

/** @throws ApiError `BAD_REQUEST` that names the first wrong parameter. */
export function readQuery<Schema extends z.ZodType>(
  ctx: Context,
  schema: Schema,
): z.output<Schema> {
  const parsed = schema.safeParse({ ...ctx.query }, { error: plainWords });
  if (parsed.success) return parsed.data;
  const message = parsed.error.issues.slice(0, 1).map(describeIssue).join();
  throw new ApiError('BAD_REQUEST', message);
}

/** Reads a request's query by a schema. */
import { describeIssue, plainWords } from '@dowel/schema';
import type { z } from 'zod';
import { ApiError } from '../base/errors.ts';
import type { ServerRequest } from './server-request.ts';

/** @throws ApiError `BAD_REQUEST` that names the first wrong parameter. */
export function readQuery<Schema extends z.ZodType>(
  { query }: Pick<ServerRequest, 'query'>,
  schema: Schema,
): z.output<Schema> {
  const parsed = schema.safeParse(valuesOf(query), { error: plainWords });
  if (parsed.success) return parsed.data;
  const message = parsed.error.issues.slice(0, 1).map(describeIssue).join();
  throw new ApiError('BAD_REQUEST', message);
}

/** A parameter that is given twice is a list, which no schema accepts. */
function valuesOf(query: URLSearchParams): Record<string, string | string[]> {
  const names = new Set(query.keys());
  return Object.fromEntries(
    [...names].map((name) => {
      const values = query.getAll(name);
      return [name, values.length === 1 ? (values[0] ?? '') : values];
    }),
  );
}

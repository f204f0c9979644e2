/** Reads the input of an operation: JSON of a bounded size that fits its schema. */
import { describeIssue, plainWords } from '@dowel/schema';
import type { z } from 'zod';
import { ApiError } from '../errors.ts';
import { mediaType, parseJson, readText } from '../request/read-body.ts';
import type { ServerRequest } from '../request/server-request.ts';

const maxInputBytes = 1_048_576;

/** @throws ApiError `BAD_MEDIA_TYPE`, `BODY_TOO_LARGE`, or `BAD_REQUEST` when the bytes are not UTF-8. */
export function readJsonText(request: ServerRequest): Promise<string> {
  if (mediaType(request) !== 'application/json') {
    throw new ApiError('BAD_MEDIA_TYPE', 'Send Content-Type: application/json');
  }
  return readText(request, maxInputBytes);
}

/** @throws ApiError `BAD_REQUEST`, which names the first wrong field. */
export async function parseInput(schema: z.ZodType, text: string): Promise<unknown> {
  const parsed = await schema.safeParseAsync(parseJson(text), { error: plainWords });
  if (parsed.success) return parsed.data;
  throw new ApiError('BAD_REQUEST', parsed.error.issues.slice(0, 1).map(describeIssue).join());
}

/** Reads the bodies of requests: their text, and JSON by a schema. */
import {
  describeIssue,
  JsonError,
  parseJson as parseJsonText,
  plainWords,
  type Reason,
} from '@dowel/schema';
import type { z } from 'zod';
import { ApiError } from '../base/errors.ts';
import type { ServerRequest } from './server-request.ts';

type BodyRequest = Pick<ServerRequest, 'header' | 'body'>;

/** Shared: it keeps no state between texts. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @throws ApiError `BODY_TOO_LARGE`, `BAD_MEDIA_TYPE`, `BAD_REQUEST` or `BODY_ALREADY_READ`. */
export async function readText(request: BodyRequest, maxBytes: number): Promise<string> {
  const encoding = request.header('content-encoding');
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new ApiError('BAD_MEDIA_TYPE', 'Send the body without content encoding');
  }
  const bytes = await request.body(maxBytes);
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new ApiError('BAD_REQUEST', 'The body is not UTF-8', { cause });
  }
}

const defaultMaxBytes = 65_536;

/** The text of a body that is JSON by its media type. @throws ApiError as {@link readText} */
export async function readJsonText(
  request: BodyRequest,
  maxBytes = defaultMaxBytes,
): Promise<string> {
  if (mediaType(request) === 'application/json') return readText(request, maxBytes);
  throw new ApiError('BAD_MEDIA_TYPE', 'Send Content-Type: application/json');
}

/** @throws ApiError `BAD_REQUEST`, which names the first wrong field. */
export async function parseBody<Schema extends z.ZodType>(
  schema: Schema,
  text: string,
): Promise<z.output<Schema>> {
  const parsed = await schema.safeParseAsync(parseJson(text), { error: plainWords });
  if (parsed.success) return parsed.data;
  throw new ApiError('BAD_REQUEST', parsed.error.issues.slice(0, 1).map(describeIssue).join());
}

/** @throws ApiError as {@link readText} and {@link parseBody} */
export async function readJson<Schema extends z.ZodType>(
  request: BodyRequest,
  schema: Schema,
  maxBytes = defaultMaxBytes,
): Promise<z.output<Schema>> {
  return parseBody(schema, await readJsonText(request, maxBytes));
}

/** The reason in the refusal record of an unreadable body. */
export function unreadableReason(error: ApiError): Reason {
  if (isBrokenOff(error)) return 'body_broke_off';
  if (error.code === 'BODY_TOO_LARGE') return 'body_too_large';
  if (error.code === 'BAD_MEDIA_TYPE') return 'bad_media_type';
  return error.code === 'BAD_REQUEST' ? 'bad_request' : 'internal_error';
}

/** Whether the connection ended before the body was complete. That does not count as a forged request. */
export function isBrokenOff({ cause }: ApiError): boolean {
  return (cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNRESET';
}

/** The media type without its parameters, in lower case. */
export function mediaType({ header }: Pick<ServerRequest, 'header'>): string {
  return (header('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** @throws ApiError `BAD_REQUEST` with the place where the body is not JSON or is ambiguous. */
export function parseJson(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch (cause) {
    if (!(cause instanceof JsonError)) throw cause;
    throw new ApiError('BAD_REQUEST', `The body is not JSON. ${cause.message}`, { cause });
  }
}

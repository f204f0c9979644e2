/** Reads request bodies with a limit; bytes are counted while they arrive. */
import type { IncomingMessage } from 'node:http';
import { BodyTooLargeError, readBounded } from '@dowel/http';
import { describeIssue, JsonError, parseJson as parseJsonText, plainWords } from '@dowel/schema';
import type { z } from 'zod';
import { ApiError } from '../errors.ts';

/** @throws ApiError `BODY_TOO_LARGE`, `BAD_MEDIA_TYPE` or `BAD_REQUEST`. */
export async function readText(request: IncomingMessage, maxBytes: number): Promise<string> {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw new ApiError('BAD_MEDIA_TYPE', 'Send the body without content encoding');
  }
  const bytes = await readBytes(request, maxBytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ApiError('BAD_REQUEST', 'The body is not UTF-8', { cause });
  }
}

async function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  try {
    return await readBounded(request, maxBytes);
  } catch (cause) {
    if (!(cause instanceof BodyTooLargeError)) {
      throw new ApiError('BAD_REQUEST', 'The body broke off', { cause });
    }
    throw new ApiError('BODY_TOO_LARGE', `The body is larger than ${maxBytes} bytes`, {
      headers: { Connection: 'close' },
    });
  }
}

/** @throws ApiError as {@link readText}; `BAD_REQUEST` names the first wrong field. */
export async function readJson<Schema extends z.ZodType>(
  request: IncomingMessage,
  schema: Schema,
  maxBytes = 65_536,
): Promise<z.output<Schema>> {
  if (mediaType(request) !== 'application/json') {
    throw new ApiError('BAD_MEDIA_TYPE', 'Send Content-Type: application/json');
  }
  const parsed = schema.safeParse(parseJson(await readText(request, maxBytes)), {
    error: plainWords,
  });
  if (parsed.success) return parsed.data;
  const message = parsed.error.issues.slice(0, 1).map(describeIssue).join();
  throw new ApiError('BAD_REQUEST', message);
}

/** The reason in the refusal record of an unreadable body. */
export function unreadableReason(error: ApiError): string {
  return isBrokenOff(error) ? 'body_broke_off' : error.code.toLowerCase();
}

/** Whether the connection ended before the body. This does not count as a forged request. */
export function isBrokenOff({ cause }: ApiError): boolean {
  return (cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNRESET';
}

/** The media type without its parameters, in lower case. */
export function mediaType(request: IncomingMessage): string {
  return (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
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

/** Bounded reading of request bodies: bytes are counted while they arrive. */
import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import { ApiError } from './api-error.ts';

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
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.byteLength;
      if (size > maxBytes) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw new ApiError('BAD_REQUEST', 'The body broke off', { cause });
  }
  if (size > maxBytes) {
    throw new ApiError('BODY_TOO_LARGE', `The body is larger than ${maxBytes} bytes`, {
      headers: { Connection: 'close' },
    });
  }
  return Buffer.concat(chunks);
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
  const parsed = schema.safeParse(parseJson(await readText(request, maxBytes)));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join('.');
  throw new ApiError('BAD_REQUEST', where ? `${where}: ${issue?.message}` : `${issue?.message}`);
}

/** The media type without its parameters, in lower case. */
export function mediaType(request: IncomingMessage): string {
  return (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ApiError('BAD_REQUEST', 'The body is not JSON', { cause });
  }
}

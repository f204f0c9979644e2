/** Reads bodies of requests, with a limit. */
import { BodyTooLargeError, readBounded } from '@dowel/http';
import { JsonError, parseJson as parseJsonText, plainWords } from '@dowel/schema';
import type { Context } from 'koa';
import type { z } from 'zod';
import { isJson } from './bounded-json.ts';
import { describeIssues } from './describe-issues.ts';
import { PlatformError } from './errors.ts';

const defaultMaxBytes = 32 * 1024;

/**
 * The same text for each reader of a request.
 *
 * @throws PlatformError `BODY_TOO_LARGE`
 */
export function readText(ctx: Context, maxBytes = defaultMaxBytes): Promise<string> {
  const state = ctx.state as { text?: Promise<string> };
  state.text ??= readOnce(ctx, maxBytes);
  return state.text;
}

async function readOnce(ctx: Context, maxBytes: number): Promise<string> {
  // The stream is not destroyed on return, so that a refusal still reaches the client.
  const source: AsyncIterable<Buffer> = ctx.req.iterator({ destroyOnReturn: false });
  try {
    return (await readBounded(source, maxBytes)).toString('utf8');
  } catch (cause) {
    if (!(cause instanceof BodyTooLargeError)) throw cause;
    ctx.set('Connection', 'close');
    throw new PlatformError('BODY_TOO_LARGE', `At most ${maxBytes} bytes are accepted`, { cause });
  }
}

/** @throws PlatformError `MEDIA_TYPE_UNSUPPORTED`, `BODY_TOO_LARGE`, `INVALID_REQUEST` */
export async function readJson<Schema extends z.ZodType>(
  ctx: Context,
  schema: Schema,
  maxBytes?: number,
): Promise<z.output<Schema>> {
  if (!isJson(ctx.get('content-type'))) {
    throw new PlatformError('MEDIA_TYPE_UNSUPPORTED', 'Send application/json');
  }
  const parsed = schema.safeParse(parseJson(await readText(ctx, maxBytes)), {
    error: plainWords,
  });
  if (parsed.success) return parsed.data;
  throw new PlatformError('INVALID_REQUEST', describeIssues(parsed.error));
}

/** Of the query, and of a form in the body. @throws PlatformError `BODY_TOO_LARGE` */
export async function readParameters(ctx: Context): Promise<URLSearchParams> {
  const parameters = new URLSearchParams(ctx.querystring);
  const form = ctx.is('application/x-www-form-urlencoded') ? await readText(ctx) : '';
  for (const [name, value] of new URLSearchParams(form)) parameters.append(name, value);
  return parameters;
}

/** @throws PlatformError `INVALID_REQUEST` */
export function readQuery<Schema extends z.ZodType>(
  ctx: Context,
  schema: Schema,
): z.output<Schema> {
  const parsed = schema.safeParse({ ...ctx.query }, { error: plainWords });
  if (parsed.success) return parsed.data;
  throw new PlatformError('INVALID_REQUEST', describeIssues(parsed.error));
}

function parseJson(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch (cause) {
    if (!(cause instanceof JsonError)) throw cause;
    throw new PlatformError('INVALID_REQUEST', `The body is not JSON. ${cause.message}`, { cause });
  }
}

/**
 * Converts a request of Node for the core. If the host framework has read the body already, its result is
 * used. The signature of an event is inside its JWT, so the bytes need not be the sender's.
 */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { BodyTooLargeError, readBounded } from '@dowel/http';
import type { Context } from 'koa';
import { ApiError } from '../base/errors.ts';
import type { Log } from '../log/log.ts';
import { streamOf } from './answer-state.ts';
import type { ServerAnswer, ServerRequest } from './server-request.ts';
import { whenClosed } from './when-closed.ts';

/** Members that a host's body parser adds to a request. */
type ParsedRequest = IncomingMessage & { body?: unknown; rawBody?: unknown };

/** A body that the host has read: the original text or bytes, or the parsed value. */
type ReadBody = { bytes: Uint8Array } | { value: object } | 'lost';

const bodyWasRead =
  'body.already_read: the host framework read the body of this request and kept nothing that can be used. Mount the server before every body parser (express.json, bodyLimit and the like), or let the parser set rawBody';

function readRequest(ctx: Context, log: Pick<Log, 'error'>): ServerRequest {
  const leaving = new AbortController();
  whenClosed(ctx.res, () => {
    if (!ctx.res.writableFinished) leaving.abort();
  });
  return {
    method: ctx.method,
    path: ctx.path,
    query: new URLSearchParams(ctx.querystring),
    header: (name) => readHeader(ctx.req, name),
    address: ctx.ip,
    requestId: (ctx.state as { requestId: string }).requestId,
    signal: leaving.signal,
    body: (maxBytes) => readBytes(ctx, { maxBytes, log }),
    isRecorded: false,
  };
}

/** A value that the host has parsed is passed to the core as JSON. */
function readHeader(request: IncomingMessage, name: string): string | undefined {
  if (name === 'content-type') {
    const read = findReadBody(request);
    if (typeof read === 'object' && 'value' in read) return 'application/json';
  }
  const value = Object.hasOwn(request.headers, name) ? request.headers[name] : undefined;
  return Array.isArray(value) ? value.join(', ') : value;
}

async function readBytes(
  { req, res }: Context,
  { maxBytes, log }: { maxBytes: number; log: Pick<Log, 'error'> },
): Promise<Uint8Array> {
  const read = findReadBody(req);
  if (read === 'lost') {
    log.error(bodyWasRead);
    throw new ApiError('BODY_ALREADY_READ', 'The body of this request was already read');
  }
  const bytes = read ? bytesOf(read) : await readStream({ req, res }, maxBytes);
  if (bytes.byteLength > maxBytes) throw tooLarge(maxBytes);
  return bytes;
}

async function readStream(
  { req, res }: Pick<Context, 'req' | 'res'>,
  maxBytes: number,
): Promise<Uint8Array> {
  try {
    // Over HTTP/2, Node never reports the end of an answer whose request was destroyed.
    const body: AsyncIterable<Uint8Array> = streamOf(res)
      ? req.iterator({ destroyOnReturn: false })
      : req;
    return (await takeArrived(req)) ?? (await readBounded(body, maxBytes));
  } catch (cause) {
    if (!(cause instanceof BodyTooLargeError)) {
      throw new ApiError('BAD_REQUEST', 'The body broke off', { cause });
    }
    // The rest of the body would come before the next request, so the connection ends after any answer.
    res.shouldKeepAlive = false;
    throw tooLarge(maxBytes);
  }
}

/**
 * The body, if all of it came with the headers. Undefined: it must be waited for. Node's iterator would allocate
 * 3 KB for each body, however short.
 */
async function takeArrived(request: IncomingMessage): Promise<Uint8Array | undefined> {
  // Node hands over the headers before the bytes behind them.
  await Promise.resolve();
  const { readableLength, readableEncoding, headers } = request;
  const isWhole = readableLength === Number(headers['content-length']);
  // A host may have asked for text instead of bytes.
  if (!isWhole || readableEncoding !== null) return undefined;
  const bytes: Buffer | null = request.read();
  // Without a reader, the request would not end.
  request.resume();
  return bytes ?? Buffer.alloc(0);
}

function tooLarge(maxBytes: number): ApiError {
  return new ApiError('BODY_TOO_LARGE', `The body is larger than ${maxBytes} bytes`);
}

/** Undefined: the body was not read yet. */
function findReadBody(request: ParsedRequest): ReadBody | undefined {
  if (!Readable.isDisturbed(request)) return undefined;
  for (const kept of [request.rawBody, request.body]) {
    if (typeof kept === 'string') return { bytes: Buffer.from(kept) };
    if (kept instanceof Uint8Array) return { bytes: kept };
    if (typeof kept === 'object' && kept !== null) return { value: kept };
  }
  return 'lost';
}

/** A parser takes values that are nested too deeply to be written as JSON again. */
function bytesOf(read: Exclude<ReadBody, 'lost'>): Uint8Array {
  if ('bytes' in read) return read.bytes;
  try {
    return Buffer.from(JSON.stringify(read.value));
  } catch (cause) {
    throw new ApiError('BAD_REQUEST', 'The body is nested too deeply', { cause });
  }
}

interface State {
  request?: ServerRequest;
  requestId: string;
}

/** Returns the same object for every caller, so the body is read once and `isRecorded` is shared. */
export function requestOf(ctx: Context, log: Pick<Log, 'error'>): ServerRequest {
  const state = ctx.state as State;
  state.request ??= readRequest(ctx, log);
  return state.request;
}

/** Whether the log has a record of the refusal of this request. */
export function isRecorded({ state }: Context): boolean {
  return (state as State).request?.isRecorded === true;
}

export function sendAnswer(ctx: Context, { status, headers = {}, body }: ServerAnswer): void {
  ctx.set(headers);
  ctx.status = status;
  ctx.body = body;
}

/** Reads bodies that may be endless: bytes are counted while they arrive. */
import { ReadableStream, type ReadableStreamDefaultController } from 'node:stream/web';
import { assertStatus, toReasonPhrase } from './status-line.ts';

/** The body has more bytes than its reader accepts. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
  readonly code = 'BODY_TOO_LARGE';

  constructor(maxBytes: number) {
    super(`The body is longer than ${maxBytes} bytes`);
  }
}

/** The body of a fetched response or of a server's request. `null` and `undefined` are empty bodies. */
type Body = AsyncIterable<Uint8Array> | null | undefined;

/**
 * Yields the pieces of a body until there are more than `maxBytes` bytes. Then it stops the source: a
 * response is cancelled, and a request is destroyed unless its iterator has `destroyOnReturn: false`.
 *
 * @throws BodyTooLargeError; errors of the source.
 */
export async function* boundBody(body: Body, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new BodyTooLargeError(maxBytes);
    yield chunk;
  }
}

interface ResponseWithBody extends Response {
  readonly body: NonNullable<Response['body']>;
}

interface BoundedSource {
  source: AsyncIterable<Uint8Array>;
  /** After more bytes, the stream fails with a BodyTooLargeError. */
  maxBytes: number;
  /** Ends the source at once. Its iterator would do that only between two reads, and not before the first one. */
  stop(): Promise<void> | void;
  /** Turns an error of the source, or a BodyTooLargeError, into the error of the stream. */
  toError(error: unknown): unknown;
}

/** A cancellation ends the source at once, also before the first read and during one. */
export function boundStream({
  source,
  maxBytes,
  stop,
  toError,
}: BoundedSource): ReadableStream<Uint8Array> {
  const pieces = boundBody(source, maxBytes);
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    try {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(value);
    } catch (error) {
      controller.error(toError(error));
    }
  };
  return new ReadableStream({ pull, cancel: () => stop() }, { highWaterMark: 0 });
}

/**
 * The answer with a body that breaks off after `maxBytes`, and without its URL. The answer itself if it has no
 * body, or for Infinity.
 */
export function boundResponse(response: Response, maxBytes: number): Response {
  const { status, statusText, headers } = response;
  if (!hasBody(response) || maxBytes === Infinity) return response;
  const stream = boundStream({ ...readFetched(response), maxBytes, toError: (error) => error });
  // Node's stream and the one of the type Response are the same, with two types.
  const body = stream as unknown as Response['body'];
  try {
    assertStatus(status);
    return new Response(body, { status, statusText: toReasonPhrase(statusText), headers });
  } catch (error) {
    // The status is none. The body occupies a connection until it is cancelled.
    void response.body.cancel().catch(() => {});
    throw error;
  }
}

/**
 * The body of a fetched response, and what cancels it at any time. Both hold the response: fetch cancels a body that
 * nobody reads when its response is collected as garbage.
 */
function readFetched(response: ResponseWithBody): Pick<BoundedSource, 'source' | 'stop'> {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const stop = () => (reader ?? response.body).cancel();
  const iterator: AsyncIterator<Uint8Array> = {
    next() {
      reader ??= response.body.getReader();
      return reader.read();
    },
    async return() {
      await stop();
      return { done: true, value: undefined };
    },
  };
  return { source: { [Symbol.asyncIterator]: () => iterator }, stop };
}

function hasBody(response: Response): response is ResponseWithBody {
  return response.body !== null;
}

/** All bytes of a body. @throws BodyTooLargeError; what the source throws. See {@link boundBody}. */
export async function readBounded(body: Body, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of boundBody(body, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

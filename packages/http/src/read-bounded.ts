/** Reads bodies that may be endless: bytes are counted while they arrive. */
import { ReadableStream } from 'node:stream/web';

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

/**
 * The answer with a body that breaks off after `maxBytes`, and without its URL. The answer itself if it has no
 * body, or for Infinity. fetch cancels a body when its response is collected as garbage, so the bounded body holds
 * the response.
 */
export function boundResponse(response: Response, maxBytes: number): Response {
  const { status, statusText, headers } = response;
  if (response.body === null || maxBytes === Infinity) return response;
  async function* pieces() {
    yield* boundBody(response.body, maxBytes);
  }
  // Node's stream and the one of the type Response are the same, with two types.
  const body = ReadableStream.from(pieces()) as unknown as Response['body'];
  return new Response(body, { status, statusText, headers });
}

/** All bytes of a body. @throws BodyTooLargeError; what the source throws. See {@link boundBody}. */
export async function readBounded(body: Body, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of boundBody(body, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

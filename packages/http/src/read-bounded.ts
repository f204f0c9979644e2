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

/** {@link boundBody} as the body of a `Response`. No body stays no body. */
export function boundStream(body: Body, maxBytes: number): Response['body'] {
  if (!body) return null;
  // Node's stream and the one of the type Response are the same, with two types.
  return ReadableStream.from(boundBody(body, maxBytes)) as unknown as Response['body'];
}

/** All bytes of a body. @throws BodyTooLargeError; what the source throws. See {@link boundBody}. */
export async function readBounded(body: Body, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of boundBody(body, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Undoes the content codings of an answer, as undici's `fetch` does. */
import { Duplex, pipeline, type Readable } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib';

/** As in undici. More of them only serve to exhaust memory. */
const maxCodings = 5;

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = constants;
/** What lacks only its end is decoded as far as it came, as browsers do. */
const zlibOptions = { flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH };
const brotliOptions = { flush: BROTLI_OPERATION_FLUSH, finishFlush: BROTLI_OPERATION_FLUSH };
/** RFC 9659 §3: the largest window that a receiver must accept. */
const zstdOptions = { params: { [constants.ZSTD_d_windowLogMax]: 23 } };

const decoders = new Map<string, () => Duplex>([
  ['gzip', () => createGunzip(zlibOptions)],
  ['x-gzip', () => createGunzip(zlibOptions)],
  ['deflate', () => Duplex.from(inflate)],
  ['br', () => createBrotliDecompress(brotliOptions)],
  ['zstd', () => createZstdDecompress(zstdOptions)],
]);

/**
 * Returns the body itself if it has no coding, or one that is not known.
 *
 * @throws Error for more codings than a server needs.
 */
export function decodeBody(body: Readable, contentEncoding: string): Readable {
  // The last coding is undone first.
  const codings = contentEncoding.toLowerCase().split(',').reverse();
  if (codings.length > maxCodings) {
    throw new Error(
      `The answer has ${codings.length} content codings, at most ${maxCodings} may be`,
    );
  }
  const known = codings.flatMap((coding) => decoders.get(coding.trim()) ?? []);
  if (known.length < codings.length) return body;
  let decoded = body;
  for (const createDecoder of known) decoded = pipeline(decoded, createDecoder(), () => undefined);
  return decoded;
}

/** Some servers send `deflate` without the header of zlib. The first byte shows which it is. */
async function* inflate(encoded: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const pieces = encoded[Symbol.asyncIterator]();
  const { value: first, done } = await pieces.next();
  if (done) return;
  const hasHeader = ((first[0] ?? 0) & 0x0f) === 8;
  const decoder = hasHeader ? createInflate(zlibOptions) : createInflateRaw(zlibOptions);
  const whole = async function* () {
    yield first;
    yield* { [Symbol.asyncIterator]: () => pieces };
  };
  yield* pipeline(whole, decoder, () => undefined);
}

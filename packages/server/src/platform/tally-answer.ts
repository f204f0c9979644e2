/** Counts the shape of the platform's answer to a notification. */
import { describeShape } from '@dowel/schema';
import { countShape, type ShapeTally, weighShape } from '../base/shape-tally.ts';

/** An answer with more, or with a slower body, is described without it. */
const maxBytes = 16_384;
const maxMs = 1_000;

const kind = 'notification answer';

/** Reads or cancels the body. Never rejects. */
export async function tallyAnswer(shapes: ShapeTally, response: Response): Promise<void> {
  const { status, headers, body } = response;
  const weight = weighShape(shapes, kind);
  const type = typeOf(headers.get('content-type'));
  if (weight === 0 || type !== 'JSON') await body?.cancel().catch(() => undefined);
  if (weight === 0) return;
  const value = body && type === 'JSON' ? await readSoon(body).catch(() => undefined) : undefined;
  const lines = [
    `status: ${status}`,
    `content type: ${type}`,
    ...(value === undefined ? [] : describeShape({ body: value })),
  ];
  countShape(shapes, kind, { lines, weight });
}

function typeOf(contentType: string | null): string {
  if (contentType === null) return 'none';
  return /\bjson\b/i.test(contentType) ? 'JSON' : 'another';
}

async function readSoon(body: NonNullable<Response['body']>): Promise<unknown> {
  const reader = body.getReader();
  const cancel = () => void reader.cancel().catch(() => undefined);
  const timer = setTimeout(cancel, maxMs);
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      size += read.value.byteLength;
      if (size > maxBytes) return undefined;
      chunks.push(read.value);
    }
    return JSON.parse(Buffer.concat(chunks).toString());
  } finally {
    clearTimeout(timer);
    cancel();
  }
}

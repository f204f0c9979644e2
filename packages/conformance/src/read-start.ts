/** Reads answers of a back end, which may be endless, or become endless when they are unpacked. */

/** Of a body. */
const keptBytes = 256 * 1024;

/** The first bytes as text; the rest is not read. @throws what ends the body before its end */
export async function readStart({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size >= keptBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, keptBytes).toString('utf8');
}

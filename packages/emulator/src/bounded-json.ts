/** Reads an answer that may be endless: a manifest, or a back end's answer to an event. */

/**
 * @param onText gets each part of the text as it comes, also of a body that is refused.
 * @throws Error when the body is longer than `maxBytes`, cut off, or not JSON.
 */
export async function readBoundedJson(
  response: Response,
  maxBytes: number,
  onText: (text: string) => void = () => {},
): Promise<unknown> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new RangeError(`The body is longer than ${maxBytes} bytes`);
    const part = decoder.decode(chunk, { stream: true });
    onText(part);
    text += part;
  }
  return JSON.parse(text + decoder.decode());
}

export function isJson(contentType: string | null): boolean {
  return /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(contentType ?? '');
}

/** Reads a JSON answer with a size limit: a manifest, or a back end's answer to an event. */
import { boundBody } from '@dowel/http';

/**
 * @param onText gets each part of the text when it arrives, also of a body that is refused later.
 * @throws Error when the body is longer than `maxBytes`, cut off, or not JSON.
 */
export async function readBoundedJson(
  response: Response,
  maxBytes: number,
  onText: (text: string) => void = () => {},
): Promise<unknown> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  for await (const chunk of boundBody(response.body, maxBytes)) {
    const part = decoder.decode(chunk, { stream: true });
    onText(part);
    text += part;
  }
  return JSON.parse(text + decoder.decode());
}

export function isJson(contentType: string | null): boolean {
  return /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(contentType ?? '');
}

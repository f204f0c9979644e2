/** Describes an answer that is not JSON, without texts that could be a secret of ours. */
import { maskSecrets } from './mask-secrets.ts';

const maxShown = 80;

/**
 * `It answered POST https://plugin.example/lifecycle/install with status 200, text/html, "<!doctype …"`.
 *
 * @param url is shown without query, fragment and user name.
 */
export function describeAnswer(
  response: Response,
  { method, url, text }: { method: string; url: URL; text: string },
): string {
  const type = printable(response.headers.get('content-type') ?? '') || 'no content type';
  const start = printable(text);
  const shown = start === '' ? 'an empty body' : `"${start}"`;
  return `${method} ${shownUrl(url)} was answered with status ${response.status}, ${type}, ${shown}`;
}

/** A URL that may be shown: a query or a user name may be a secret. */
export function shownUrl({ origin, pathname }: URL): string {
  return `${origin}${pathname}`.slice(0, 300);
}

/** The first characters on one line. Characters that a terminal or a page would interpret become blanks. */
function printable(text: string): string {
  // An answer may repeat the event, which contains secrets. Half of one would not be recognized.
  const line = maskSecrets(text)
    .slice(0, 4 * maxShown)
    .replace(/[\p{C}\p{Z}\s\uFFFD]+/gu, ' ')
    .trim();
  return line.length > maxShown ? `${line.slice(0, maxShown)}…` : line;
}

const maxStartBytes = 16 * 1024;

/** The first bytes of a body as text; the rest is not read. Never rejects. */
export async function readStart(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk);
      bytes += chunk.byteLength;
      if (bytes >= maxStartBytes) break;
    }
  } catch {
    // The part that came before the break is shown.
  }
  return Buffer.concat(chunks).toString('utf8');
}

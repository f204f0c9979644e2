/** The first characters of an answer of the platform, for operators: without secrets, and without taking the body from its reader. */
import type { Timer } from '@dowel/http';

const maxShown = 200;
/** More than is shown, so that a secret is masked as a whole before the text is cut. */
const maxBytes = 1_024;
/** Bytes that come later are not shown. */
const maxMs = 400;

/** A member whose name is of these words, up to its value. */
const nameOf = (words: string) =>
  `([\\w-]{0,40}(?:${words})[\\w-]{0,40}\\\\?["']?\\s*[:=>]\\s*)(?!\\[secret|bearer|basic)`;
/** Up to the same quotation mark, which may be escaped. */
const quoted = '(\\\\?["\'])(?:(?!\\2)(?:\\\\.|[^\\\\]))+';
const ofSecret = nameOf(
  'token|secret|passw|passphrase|pwd|credential|authorization|cookie|session|signature|api[_-]?key',
);
const ofPerson = nameOf('(?:first|last|given|family|full|display|user)[_-]?name');

/** What is masked, and what stays of it. */
const masks: readonly (readonly [RegExp, string])[] = [
  [/\beyJ[\w-]*(?:\.[\w-]*)*/g, '[secret]'],
  [/\b(bearer|basic)\s+[\w.~+/=-]+/gi, '$1 [secret]'],
  [new RegExp(ofSecret + quoted, 'gi'), '$1$2[secret]'],
  // An object or a list.
  [new RegExp(`${ofSecret}([{[])[^\\]}]+`, 'gi'), '$1$2[secret]'],
  [new RegExp(`${ofSecret}[^\\s"'&,;<>{}[\\]\\\\]+`, 'gi'), '$1[secret]'],
  [new RegExp(ofPerson + quoted, 'gi'), '$1$2[name]'],
  [/[^\s"'<>(),;:=@]{1,64}(?:@|%40)[^\s"'<>(),;:=@]+/gi, '[email]'],
];
const longText = /[\w~+/=%-]{20,}/g;

/**
 * Masks JWTs, bearer strings, values that are named as secrets or persons, long random strings and e-mail addresses. Returns one
 * line of at most 200 characters.
 *
 * @param secrets texts that are masked wherever they occur.
 */
export function maskAnswer(text: string, secrets: readonly string[] = []): string {
  let masked = text;
  for (const secret of secrets) if (secret !== '') masked = masked.replaceAll(secret, '[secret]');
  for (const [pattern, replacement] of masks) masked = masked.replace(pattern, replacement);
  masked = masked.replace(longText, (found) => (isRandom(found) ? '[secret]' : found));
  const line = masked.replace(/[\p{C}\p{Z}\s\uFFFD]+/gu, ' ').trim();
  return line.length > maxShown ? `${line.slice(0, maxShown)}…` : line;
}

function isRandom(text: string): boolean {
  return text.length >= 40 || (/\d/.test(text) && /[a-z]/i.test(text));
}

/**
 * Reads the first characters of a copy of the body; the caller keeps the whole one. Call it before anybody reads the
 * body.
 *
 * @returns the masked text of what comes in time, '' for no body; null for a body that breaks off. Never rejects.
 */
export async function readAnswerStart(
  response: Response,
  { timer, secrets }: { timer: Timer; secrets: readonly string[] },
): Promise<string | null> {
  const copy = response.clone().body;
  if (!copy) return '';
  const reader = copy.getReader();
  const cancel = () => void reader.cancel().catch(() => undefined);
  const stopWaiting = timer.after(maxMs, cancel);
  const chunks: Uint8Array[] = [];
  let size = 0;
  let isWhole = false;
  try {
    while (size < maxBytes && !isWhole) {
      const { done, value } = await reader.read();
      isWhole = done;
      if (value) chunks.push(value);
      size += value?.byteLength ?? 0;
    }
  } catch {
    return null;
  } finally {
    stopWaiting();
    cancel();
  }
  const text = new TextDecoder().decode(Buffer.concat(chunks).subarray(0, maxBytes));
  // A secret of which only the beginning was read would not look like one.
  const known = isWhole && size <= maxBytes ? text : text.replace(/[^\s"'<>,;{}]*$/, '');
  return maskAnswer(known, secrets);
}

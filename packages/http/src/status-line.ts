/** What a `Response` takes (RFC 9112 §4): printable ASCII, tabs, and the upper half of Latin-1. */
const phrase = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * The words behind the status, or none if a `Response` does not take them: undici reads them as UTF-8. The status alone
 * says what the answer means.
 */
export function toReasonPhrase(words: string): string {
  return phrase.test(words) ? words : '';
}

/**
 * Node's `Response` refuses such a status itself. One that a host framework has put in its place, as Hono does, takes it.
 *
 * @throws RangeError
 */
export function assertStatus(status: number): void {
  if (status < 200 || status > 599) throw new RangeError(`The answer has the status ${status}`);
}

/** The segments of a path that name a thing of the platform's API, such as `users`, `api-v2` or `list.json`. */
const word = /^[a-z][a-z_-]*\d{0,2}(?:\.(?:json|xml))?$/i;
const longestWord = 32;
const longestPattern = 200;

/**
 * Returns a path without its query and with `{id}` for each segment that is not a plain word, such as an id, a number, an
 * e-mail address or a secret. A name that looks like a word, such as `ada`, stays.
 */
export function patternOf(path: string): string {
  const [plain = ''] = path.split('?', 1);
  const pattern = plain
    .split('/')
    .map((segment) => (segment === '' || isWord(segment) ? segment : '{id}'))
    .join('/');
  const rooted = pattern.startsWith('/') ? pattern : `/${pattern}`;
  return rooted.length > longestPattern ? `${rooted.slice(0, longestPattern)}…` : rooted;
}

function isWord(segment: string): boolean {
  return segment.length <= longestWord && word.test(segment);
}

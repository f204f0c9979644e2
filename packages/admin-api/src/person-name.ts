/** The one rule for names of people, wherever they come from. Rows F17 and F32 of docs/threats.md. */

const maxLength = 200;
/** What is not seen, moves other text or breaks the line: two names must not look alike by it. */
const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

/**
 * Returns the name in NFC, with single blanks; undefined if it is empty, longer than 200 characters, or holds what is not
 * seen, such as control characters or marks of direction.
 */
export function readPersonName(given: unknown): string | undefined {
  if (typeof given !== 'string') return undefined;
  // Before the trim, which also takes line ends and byte order marks.
  if (unseen.test(given)) return undefined;
  const name = given
    .normalize('NFC')
    .replaceAll(/\p{Zs}+/gu, ' ')
    .trim();
  return name === '' || name.length > maxLength ? undefined : name;
}

/** Returns the entries, which are separated by commas or white space. */
export function splitList(text: string): string[] {
  return text.split(/[\s,]+/).filter((entry) => entry !== '');
}

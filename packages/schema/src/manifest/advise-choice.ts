import { findMeant } from '../find-nearest.ts';

/** The fix for a value that is not one of a list: the entry that was probably meant, else all of them. */
export function adviseChoice(found: unknown, choices: readonly unknown[]): string {
  const meant =
    typeof found === 'string' &&
    findMeant(
      found,
      choices.filter((each) => typeof each === 'string'),
    );
  if (meant) return `Did you mean "${meant}"?`;
  return `Write one of: ${choices.map((each) => JSON.stringify(each)).join(', ')}.`;
}

import { plainText } from './plain-text.ts';

const letter = /\p{L}/gu;

/** Why an operator does something, for those who read the audit. */
export const actionReasonSchema = plainText(500).refine(
  (text) => (text.match(letter)?.length ?? 0) >= 3,
  {
    error: 'must have three letters at least',
  },
);

import { plainText } from './plain-text.ts';

const letter = /\p{L}/gu;

/** The reason that an operator gives for an action. The audit shows it. */
export const actionReasonSchema = plainText(500).refine(
  (text) => (text.match(letter)?.length ?? 0) >= 3,
  {
    error: 'must have three letters at least',
  },
);

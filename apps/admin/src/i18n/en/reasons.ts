/** The sentences of docs/errors.md. */
import { type ReasonWord, reasonGroups } from '@dowel/schema';

const entries = Object.values(reasonGroups).flatMap((group) => Object.entries(group));

export const reasons = {
  answered: {
    token_endpoint: 'The token request was answered {{status}}.',
    trigger: 'The request for a new access_token event was answered {{status}}.',
  },
  reason: Object.fromEntries(entries.map(([word, { sentence }]) => [word, sentence])) as Readonly<
    Record<ReasonWord, string>
  >,
};

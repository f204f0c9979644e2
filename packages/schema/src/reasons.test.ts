import { describe, expect, test } from 'vitest';
import { explainReason, isOAuthErrorCode, type ReasonEntry, reasonGroups } from './reasons.ts';

const all = Object.values(reasonGroups).flatMap((group) => Object.entries(group));

describe('every reason', () => {
  test('stands in one group only', () => {
    const words = all.map(([word]) => word);

    expect(new Set(words).size).toBe(words.length);
  });

  test.each(all)(
    '%s has a machine-readable word and a sentence for people',
    (word, { sentence }) => {
      expect(word).toMatch(/^[a-z]+(_[a-z0-9]+)*$/);
      expect(sentence).toMatch(/^[A-Z].{9,}\.$/);
      expect(explainReason(word)?.sentence).toBe(sentence);
    },
  );

  const sentences = Object.values(reasonGroups).flatMap((group) =>
    Object.values<ReasonEntry>(group).flatMap(({ sentence, fix = '' }) => [sentence, fix]),
  );

  test('no sentence names the status of an answer, which stands beside it as it was sent', () => {
    expect(sentences.filter((text) => /\b[45]\d\d\b/.test(text))).toEqual([]);
  });

  const { request, jwt, event, session } = reasonGroups;
  const ofRefusals = Object.entries({ ...request, ...jwt, ...event, ...session });

  test.each(ofRefusals.filter(([, { actor }]) => actor === 'operator'))(
    '%s, which refuses an event or a session and an operator can act on, says what to change',
    (_, { fix }: ReasonEntry) => {
      expect(fix).toMatch(/^[A-Z].{9,}\.$/);
    },
  );
});

test.each([
  ['token_endpoint_answered_503', 'The token request was answered 503.', true],
  ['token_endpoint_answered_404', 'The token request was answered 404.', true],
  ['trigger_answered_404', 'The request for a new access_token event was answered 404.', false],
  ['trigger_answered_429', 'The request for a new access_token event was answered 429.', true],
])('%s is explained by its status', (reason, sentence, isTemporary) => {
  expect(explainReason(reason)).toEqual({ sentence, actor: 'platform', isTemporary });
});

test.each(['constructor', '__proto__', 'trigger_answered_', 'trigger_answered_5034', 'x'])(
  'the unknown word %s has no explanation',
  (word) => {
    expect(explainReason(word)).toBeUndefined();
    expect(isOAuthErrorCode(word)).toBe(false);
  },
);

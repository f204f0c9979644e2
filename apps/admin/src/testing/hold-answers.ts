import type { FakeBff } from './fake-bff.ts';

/** Holds back the answers to requests whose address contains the text. @returns a function that lets them through. */
export function holdAnswers(bff: FakeBff, text: string): () => void {
  const { fetch } = bff;
  const { promise, resolve } = Promise.withResolvers<void>();
  bff.fetch = async (input, init) => {
    const answer = await fetch(input, init);
    if (String(input).includes(text)) await promise;
    return answer;
  };
  return resolve;
}

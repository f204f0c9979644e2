import { expect } from 'vitest';
import { type DevLine, type Say, sayTo } from '../dev-line.ts';

export interface Lines {
  readonly all: DevLine[];
  readonly say: Say;
  /** Resolves when so many lines have the text. */
  seen(text: string | RegExp, count?: number): Promise<void>;
}

/** Collects the lines of a test. */
export function collectLines(): Lines {
  const all: DevLine[] = [];
  return {
    all,
    say: sayTo((line) => all.push(line)),
    async seen(text, count = 1) {
      const isMeant = (line: DevLine) =>
        typeof text === 'string' ? line.text.includes(text) : text.test(line.text);
      await expect.poll(() => all.filter(isMeant).length).toBeGreaterThanOrEqual(count);
    },
  };
}

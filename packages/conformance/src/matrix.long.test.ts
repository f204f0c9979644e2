/** Takes minutes, so it is not part of every run. */
import { expect, test } from 'vitest';
import { examine, expected, summarize } from './testing/examine.ts';
import { type MistakeName, mistakes } from './testing/mistakes.ts';

/** `@dowel/dev` tests those that need a browser. */
const all = [...mistakes].flatMap(([name, { browser }]) => (browser ? [] : [name]));

test.each(all)(
  'the checks for %s find that mistake, and no other one does',
  async (name: MistakeName) => {
    const report = await examine(name);

    expect(summarize(report)).toEqual(expected(name, report));
  },
);

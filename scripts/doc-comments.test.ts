import { expect, test } from 'vitest';
import { readExportedFunctions } from './read-exports.ts';

const functions = await readExportedFunctions();
const isFactory = (name: string) =>
  /^(?:create|open|connect|parse|trust|observe|render)/.test(name);

test('the packages export functions', () => {
  expect(functions.length).toBeGreaterThan(40);
});

for (const { place, comment } of functions) {
  test(`${place} has a doc comment`, () => {
    expect(comment).not.toBe('');
  });
}

for (const { place, comment } of functions.filter(({ name }) => isFactory(name))) {
  test(`${place} has an example`, () => {
    expect(comment).toContain('@example');
  });
}

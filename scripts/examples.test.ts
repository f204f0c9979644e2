import { expect, test } from 'vitest';
import { listFiles, read } from './read-docs.ts';
import { readExamples, standsIn } from './read-examples.ts';

const examples = await readExamples();
const testFiles = (await listFiles('*.test.ts', '*.test.tsx')).filter(
  (file) => !file.startsWith('scripts/'),
);
const tests = await Promise.all(testFiles.map(read));

test('READMEs and doc comments have examples', () => {
  expect(examples.length).toBeGreaterThan(30);
});

for (const { place, code } of examples) {
  test(`the example in ${place} stands in a test`, () => {
    expect(code).not.toBe('');
    expect(tests.some((source) => standsIn(source, code)) ? '' : code).toBe('');
  });
}

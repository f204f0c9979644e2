import { expect, test } from 'vitest';
import { concernsBackEnd } from './follow-changes.ts';

const backEnd = { hasLoaded: (path: string) => /shared|texts/.test(path) };
const page = { hasLoaded: (path: string) => /shared|page/.test(path) };

test.each([
  ['server.ts', true],
  ['new.ts', true],
  ['page.ts', false],
  ['shared.ts', true],
  ['texts.json', true],
  ['votes.json', false],
  ['.env', true],
])('%s starts the back end again: %s', (path, isConcerned) => {
  expect(concernsBackEnd(path, { backEnd, page })).toBe(isConcerned);
});

test('without a page every source file concerns the back end', () => {
  expect(concernsBackEnd('page.ts', { backEnd, page: undefined })).toBe(true);
});

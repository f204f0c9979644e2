import { expect, test } from 'vitest';
import { describeChange } from './describe-change.ts';

test('a change says what the update does, and how to do what it cannot', () => {
  const entryPoint = { id: 'e1', url: 'plugin/', name: { en: 'Lunch' }, description: {} };

  expect(describeChange({ kind: 'accessAdded' })).toMatch(/sends access_token\.$/);
  expect(describeChange({ kind: 'accessChanged' })).toMatch(/old grant\. Press i to install again/);
  expect(describeChange({ kind: 'entryPointAdded', entryPoint })).toMatch(/^The entry point e1 /);
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { readOwnVersion } from './own-version.ts';

test('a bundle has no version, also beside the package.json of another program', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dowel-version-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'package.json');
  writeFileSync(file, '{"name":"other","version":"9.9.9"}');

  expect(readOwnVersion()).toMatch(/^\d+\.\d+\.\d+/);
  expect(readOwnVersion(pathToFileURL(file))).toBe('');
  expect(readOwnVersion(pathToFileURL(join(folder, 'missing.json')))).toBe('');
});

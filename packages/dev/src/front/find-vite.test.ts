import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { makePluginFolder } from '../testing/make-folder.ts';

const program = `
  import { findVite } from ${JSON.stringify(new URL('find-vite.ts', import.meta.url))};
  console.log(String(findVite(process.argv[1])));
`;

const installed = {
  'node_modules/vite/package.json': '{ "type": "module", "exports": "./index.js" }',
  'node_modules/vite/index.js': '',
};

/** In another process: the test's own finds the packages of this repository from everywhere, by NODE_PATH. */
async function find(files: Record<string, string>): Promise<string> {
  await using folder = await makePluginFolder({ 'package.json': '{}', ...files });
  const args = ['--input-type=module', '--eval', program, folder.path];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: {} });
  return stdout.trim();
}

test('a page has an index.html or a configuration of Vite, and its own Vite', async () => {
  const own = expect.stringMatching(
    /^file:.*\/lunch%20f%C3%BCr%20alle\/node_modules\/vite\/index\.js$/,
  );

  expect(await find({ 'index.html': '', ...installed })).toEqual(own);
  expect(await find({ 'vite.config.ts': '', ...installed })).toEqual(own);
  expect(await find({ 'index.html': '' })).toBe('missing');
  expect(await find(installed)).toBe('undefined');
});

import { expect, test } from 'vitest';
import { makePluginFolder } from '../testing/make-folder.ts';
import { findCommand } from './find-command.ts';

/** The file that is run in a folder with these files. */
async function entryOf(
  files: Record<string, string>,
  server?: string,
): Promise<string | undefined> {
  await using folder = await makePluginFolder(files);
  return findCommand(folder.path, { server }).args.at(-1);
}

test('the back end is the file that is named, or the first usual one, or the script start', async () => {
  const start = { 'package.json': '{ "scripts": { "start": "node x.js" } }' };

  expect(await entryOf({ 'server.ts': '', 'app.js': '', ...start }, 'app.js')).toBe('app.js');
  expect(await entryOf({ 'server.ts': '', 'server/main.js': '', ...start })).toBe('server/main.js');
  expect(await entryOf({ 'src/server.js': '', 'server.ts': '' })).toBe('server.ts');
  expect(await entryOf({ 'src/server.js': '', ...start })).toBe('src/server.js');
  expect(await entryOf(start)).toBe('start');
});

test('a command needs no file', () => {
  expect(findCommand('/', { command: ['python3', 'app.py'], server: undefined })).toEqual({
    file: 'python3',
    args: ['app.py'],
    hasChannel: false,
  });
});

test('without a back end, or with a name that is wrong, one line says what to do', async () => {
  await expect(entryOf({})).rejects.toThrow(
    /^There is no back end in .* Name it: dowel dev --server/,
  );
  await expect(entryOf({}, 'x.ts')).rejects.toThrow(/^--server: there is no file x\.ts in /);
});

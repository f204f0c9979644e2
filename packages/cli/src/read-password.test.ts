import { PassThrough } from 'node:stream';
import { beforeEach, expect, test, vi } from 'vitest';
import { readPassword } from './read-password.ts';

type Input = NodeJS.ReadStream;

/** What a person types, one piece after each question. */
function terminal(...typed: string[]): Input {
  const input = new PassThrough();
  const left = [...typed];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    if (String(text).endsWith(': ')) setImmediate(() => input.write(left.shift() ?? ''));
    return true;
  });
  return Object.assign(input, { isTTY: true, setRawMode: () => input }) as unknown as Input;
}

beforeEach(() => {
  vi.restoreAllMocks();
});

test('a password that is entered twice alike is returned', async () => {
  expect(await readPassword(terminal('correct horse\r', 'correct horse\r'))).toBe('correct horse');
});

test('two different entries change nothing', async () => {
  const read = readPassword(terminal('correct horse\r', 'correct house\r'));

  await expect(read).rejects.toThrow('The two passwords differ. Nothing was changed.');
});

const endings = { 'Ctrl-C': '\u0003', 'Ctrl-D': '\u0004' };

test.each(Object.entries(endings))('%s at the question changes nothing', async (_key, typed) => {
  const refusal = 'No password was entered. Nothing was changed.';

  await expect(readPassword(terminal(typed))).rejects.toThrow(refusal);
  await expect(readPassword(terminal('correct horse\r', typed))).rejects.toThrow(refusal);
});

test('of standard input the first line is the password', async () => {
  const input = Object.assign(new PassThrough(), { isTTY: false });
  input.end('correct horse\nmore\n');

  expect(await readPassword(input as unknown as Input)).toBe('correct horse');
});

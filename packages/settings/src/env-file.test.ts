import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseEnvFile, readEnvironment } from './env-file.ts';

describe('parseEnvFile', () => {
  test('reads names, values, comments and blank lines', () => {
    expect(parseEnvFile('# ports\nDOWEL_PORT=4311\n\nexport A="b c" # said\r\n')).toEqual({
      DOWEL_PORT: '4311',
      A: 'b c',
    });
  });

  test.each(['DOWEL_PORT', 'DOWEL_PORT: 4311', 'DOWEL-PORT=1', '=1', '{"a": 1}'])(
    'the line %s is an error with its number',
    (broken) => {
      expect(() => parseEnvFile(`A=1\n${broken}`)).toThrow(
        '.env line 2 is broken: write NAME=value, or # for a comment.',
      );
    },
  );

  test('reads # in quotes, and as the start of a comment', () => {
    const text =
      "A=\"file:acme.pem#RS512\" # a key\nB='1#2'\nC=`3#4`\nD=5 # see #6\nE= # none\nF=it's";

    expect(parseEnvFile(text)).toEqual({
      A: 'file:acme.pem#RS512',
      B: '1#2',
      C: '3#4',
      D: '5',
      E: '',
      F: "it's",
    });
  });

  test.each(['A=file:acme.pem#RS512', 'A=#1', 'A=a"b#c"'])(
    'a # that would cut the value of %s is an error',
    (broken) => {
      expect(() => parseEnvFile(`${broken}\nB=1`)).toThrow(
        '.env line 1 is broken: put the value in quotes, because # begins a comment.',
      );
    },
  );

  test.each(['A="b', "A='b", 'A=`b', 'A="b"c', 'A="b" c'])(
    'a quote that would change what follows it in %s is an error',
    (broken) => {
      expect(() => parseEnvFile(`${broken}\nB="1"`)).toThrow(
        '.env line 1 is broken: close the quote in the same line, and write nothing but a comment after it.',
      );
    },
  );
});

describe('readEnvironment', () => {
  let folder: string;
  let path: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dowel-env-'));
    path = join(folder, '.env');
    await writeFile(path, 'DOWEL_PORT=4311\nDOWEL_HOST=0.0.0.0\nDOWEL_AUDIENCE=\n');
  });

  afterEach(() => rm(folder, { recursive: true }));

  test('a variable of the environment overrides the one in .env', () => {
    expect(readEnvironment(path, { DOWEL_PORT: '4312', HOME: '/root' })).toEqual({
      DOWEL_PORT: '4312',
      DOWEL_HOST: '0.0.0.0',
      HOME: '/root',
    });
  });

  test('an empty variable of the environment does not hide the one in .env', () => {
    expect(readEnvironment(path, { DOWEL_PORT: '', DOWEL_HOST: undefined })).toEqual({
      DOWEL_PORT: '4311',
      DOWEL_HOST: '0.0.0.0',
    });
  });

  test('an empty variable is left out, in the environment and in .env', () => {
    const environment = readEnvironment(path, { DOWEL_TRUST: '' });

    expect(Object.keys(environment).toSorted()).toEqual(['DOWEL_HOST', 'DOWEL_PORT']);
  });

  test('a byte order mark does not belong to the first name', async () => {
    await writeFile(path, '\uFEFFDOWEL_PORT=4311\r\n');

    expect(readEnvironment(path, {})).toEqual({ DOWEL_PORT: '4311' });
  });

  test('a .env that cannot be read is an error that names it', () => {
    expect(() => readEnvironment(folder, {})).toThrow(
      new SyntaxError(`${folder} cannot be read: it is a folder (EISDIR).`),
    );
  });

  test('without a .env only the environment is used', () => {
    expect(readEnvironment(join(folder, 'none'), { A: '1', B: '' })).toEqual({ A: '1' });
  });
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readSecretFiles } from './secret-files.ts';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowel-secret-'));
  path = join(folder, 'secret');
  await writeFile(path, 's3cret\r\n');
});

afterEach(() => rm(folder, { recursive: true }));

const secretNames = ['DOWEL_DATABASE_URL', 'DOWEL_ALERT_SMTP_URL'];
const read = (environment: Record<string, string>) => readSecretFiles(environment, secretNames);

test.each(secretNames)(
  '%s_FILE names the file of its value, without the line break at its end',
  (name) => {
    const environment = { [`${name}_FILE`]: path, DOWEL_PORT: '4311' };

    expect(read(environment)).toEqual({
      variables: { [name]: 's3cret', DOWEL_PORT: '4311' },
      problems: [],
    });
  },
);

test('another file than those of secrets is not read', () => {
  const environment = { DOWEL_KEY_FILE: path, DOWEL_PORT_FILE: path };

  expect(read(environment)).toEqual({ variables: environment, problems: [] });
});

test.each([
  [
    'that does not exist',
    () => ({}),
    'names a file that cannot be read: it does not exist (ENOENT)',
  ],
  [
    'beside its value',
    () => ({ DOWEL_DATABASE_URL: 'x' }),
    'and DOWEL_DATABASE_URL are both set: remove one of them',
  ],
])('a file %s is a problem, in one line without the path', async (_, others, problem) => {
  await rm(path);
  const environment = { DOWEL_DATABASE_URL_FILE: path, ...others() };

  expect(read(environment).problems).toEqual([`DOWEL_DATABASE_URL_FILE ${problem}`]);
});

test('an empty file is a problem, and an empty variable is not set', async () => {
  await writeFile(path, '\n');

  const { problems } = read({ DOWEL_ALERT_SMTP_URL_FILE: path });
  expect(problems).toEqual(['DOWEL_ALERT_SMTP_URL_FILE names a file that is empty']);
  expect(read({ DOWEL_ALERT_SMTP_URL_FILE: '' }).problems).toEqual([]);
});

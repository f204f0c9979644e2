import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeUnknownSettings, parsePort, readEnvironment } from '@dowel/settings';
import { expect, test } from 'vitest';
import { createFolder } from './kit.ts';

test('a misspelt setting stops the start', async () => {
  await using folder = await createFolder();
  const envPath = join(folder.path, '.env');
  await writeFile(envPath, 'DOWEL_PROT=4310\n');
  const process = { env: {} };

  function readPort(): number {
    const environment = readEnvironment(envPath, process.env);
    const [problem] = describeUnknownSettings(environment, { DOWEL: ['DOWEL_PORT'] });
    if (problem !== undefined) throw new SyntaxError(problem);
    return parsePort(environment.DOWEL_PORT ?? '') ?? 4310;
  }

  expect(readPort).toThrow('DOWEL_PROT is not a setting: did you mean DOWEL_PORT?');
  await writeFile(envPath, 'DOWEL_PORT=5000\n');
  expect(readPort()).toBe(5000);
});

test('the example of parsePort runs', () => {
  const port = parsePort('4310'); // 4310; undefined for '0' and '70000'

  expect([port, parsePort('0'), parsePort('70000')]).toEqual([4310, undefined, undefined]);
});

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openKeyring, openStore } from '@dowel/installation-store';
import { expect, test } from 'vitest';
import { runCli } from './testing/run-cli.ts';

test('the commands of the README succeed, one after the other', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dowel-cli-'));
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const commands = [...readme.matchAll(/^dowel ([a-z -]+?) *#/gm)].map(
    ([, command = '']) => command,
  );
  const outcomes = [];

  for (const command of commands) {
    outcomes.push(await runCli(command.split(' '), { DOWEL_DATA_DIR: folder }));
    if (command === 'keys create') await makeDatabase(folder);
  }

  expect(commands).toHaveLength(9);
  expect(outcomes.map(({ code, err }) => ({ code, err }))).toEqual(
    commands.map(() => ({ code: 0, err: '' })),
  );
  await rm(folder, { recursive: true });
});

async function makeDatabase(folder: string): Promise<void> {
  const keyring = openKeyring({ path: join(folder, 'encryption.key'), production: true });
  const store = await openStore({ path: join(folder, 'dowel.sqlite'), keyring });
  await store.close();
}
